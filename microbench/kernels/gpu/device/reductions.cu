#include "microbench/kernels/gpu/device/reductions.h"

namespace oracle::gpu {
namespace {

/// Enough threads for any device, and a bound for what they leave to be joined.
constexpr std::int64_t kThreads = std::int64_t{1} << 17;
constexpr std::int64_t kMostChunks = 1024;
/// Partial results that one thread joins in a further pass.
constexpr std::int64_t kFanIn = 32;

struct Two {
  double first, second;
};

struct Sum {
  using Value = Two;
  static ORACLE_DEVICE Two none() { return {0, 0}; }
  static ORACLE_DEVICE Two join(Two a, Two b) { return {a.first + b.first, a.second + b.second}; }
};

/// Of exponentials relative to the largest score met so far.
struct Softmax {
  using Value = Exponentials;
  static ORACLE_DEVICE Exponentials none() { return {0, 0}; }
  static ORACLE_DEVICE Exponentials join(Exponentials a, Exponentials b) {
    if (a.sum == 0) return b;
    if (b.sum == 0) return a;
    if (a.largest >= b.largest) return {a.largest, a.sum + b.sum * exp(b.largest - a.largest)};
    return {b.largest, b.sum + a.sum * exp(a.largest - b.largest)};
  }
};

std::int64_t chunks_of(const Reduction& shape) {
  std::int64_t chunks = kThreads / (shape.segments * shape.width);
  if (chunks > kMostChunks) chunks = kMostChunks;
  // No thread takes fewer than four rows, if others are there to take them.
  if (chunks > shape.length / 4) chunks = shape.length / 4;
  return chunks < 1 ? 1 : chunks;
}

std::int64_t fewer(std::int64_t chunks) { return (chunks + kFanIn - 1) / kFanIn; }

/// `term(segment, row, column, index of the value)` is what one value gives, `store(segment,
/// column, result)` takes what all of a column give.
template <class Op, class Term, class Store>
void reduce(Stream stream, void* scratch, const Reduction& shape, Term term, Store store) {
  using Value = typename Op::Value;
  const Reduction s = shape;
  std::int64_t chunks = chunks_of(s);
  const std::int64_t columns = s.segments * s.width;
  auto* partial = static_cast<Value*>(scratch);
  const std::int64_t first = chunks;
  parallel_for(stream, columns * first, [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t column = i % s.width;
    const std::int64_t chunk = i / s.width % first;
    const std::int64_t segment = i / (s.width * first);
    Value value = Op::none();
    for (std::int64_t row = chunk; row < s.length; row += first) {
      const std::int64_t index = (segment * s.length + row) * s.width + column;
      value = Op::join(value, term(segment, row, column, index));
    }
    if (first == 1) {
      store(segment, column, value);
    } else {
      partial[i] = value;
    }
  });
  while (chunks > 1) {
    const std::int64_t had = chunks;
    const std::int64_t left = fewer(chunks);
    const Value* from = partial;
    Value* to = partial + columns * had;
    parallel_for(stream, columns * left, [=] ORACLE_DEVICE(std::int64_t i) {
      const std::int64_t column = i % s.width;
      const std::int64_t chunk = i / s.width % left;
      const std::int64_t segment = i / (s.width * left);
      Value value = Op::none();
      for (std::int64_t other = chunk; other < had; other += left) {
        value = Op::join(value, from[(segment * had + other) * s.width + column]);
      }
      if (left == 1) {
        store(segment, column, value);
      } else {
        to[i] = value;
      }
    });
    partial = to;
    chunks = left;
  }
}

Reduction over_channels(const Planes& planes) { return {planes.rows(), planes.channels, 1}; }
Reduction over_rows(const Planes& planes) { return {1, planes.rows(), planes.channels}; }
Reduction over_positions(const Planes& planes) {
  return {planes.samples, planes.positions, planes.channels};
}

}  // namespace

std::int64_t scratch_bytes(const Reduction& shape) {
  std::int64_t values = 0;
  for (std::int64_t chunks = chunks_of(shape); chunks > 1; chunks = fewer(chunks)) {
    values += shape.segments * shape.width * chunks;
  }
  return values * static_cast<std::int64_t>(sizeof(Two));
}

void sums_and_squares(Stream stream, void* scratch, const Planes& planes, const float* x,
                      float* sums) {
  const std::int64_t channels = planes.channels;
  reduce<Sum>(
      stream, scratch, over_rows(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        const double value = x[i];
        return Two{value, value * value};
      },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        sums[c] = static_cast<float>(sum.first);
        sums[channels + c] = static_cast<float>(sum.second);
      });
}

void channel_moments(Stream stream, void* scratch, const Planes& planes, double epsilon,
                     const float* x, float* mean, float* inverse) {
  const auto count = static_cast<double>(planes.rows());
  reduce<Sum>(
      stream, scratch, over_rows(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        const double value = x[i];
        return Two{value, value * value};
      },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        const double average = sum.first / count;
        const double variance = sum.second / count - average * average;
        mean[c] = static_cast<float>(average);
        inverse[c] = static_cast<float>(1 / sqrt((variance > 0 ? variance : 0) + epsilon));
      });
}

void sums_against_normalized(Stream stream, void* scratch, const Planes& planes,
                             const Normalization& by, const float* x, const float* dy,
                             float* sums) {
  const std::int64_t channels = planes.channels;
  const Normalization b = by;
  reduce<Sum>(
      stream, scratch, over_rows(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t c, std::int64_t i) {
        const double normalized = (double{x[i]} - double{b.mean[c]}) * double{b.inverse[c]};
        return Two{double{dy[i]}, double{dy[i]} * normalized};
      },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        sums[c] = static_cast<float>(sum.first);
        sums[channels + c] = static_cast<float>(sum.second);
      });
}

void channel_sums(Stream stream, void* scratch, const Planes& planes, const float* x, float* to,
                  bool accumulate) {
  reduce<Sum>(
      stream, scratch, over_rows(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        return Two{double{x[i]}, 0};
      },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        to[c] = static_cast<float>(sum.first) + (accumulate ? to[c] : 0);
      });
}

void position_sums(Stream stream, void* scratch, const Planes& planes, const float* x, float share,
                   float* to) {
  const std::int64_t channels = planes.channels;
  reduce<Sum>(
      stream, scratch, over_positions(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        return Two{double{x[i]}, 0};
      },
      [=] ORACLE_DEVICE(std::int64_t sample, std::int64_t c, Two sum) {
        to[sample * channels + c] = static_cast<float>(sum.first * double{share});
      });
}

void position_products(Stream stream, void* scratch, const Planes& planes, const float* a,
                       const float* b, float* to) {
  const std::int64_t channels = planes.channels;
  reduce<Sum>(
      stream, scratch, over_positions(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        return Two{double{a[i]} * double{b[i]}, 0};
      },
      [=] ORACLE_DEVICE(std::int64_t sample, std::int64_t c, Two sum) {
        to[sample * channels + c] = static_cast<float>(sum.first);
      });
}

void row_moments(Stream stream, void* scratch, const Planes& planes, double epsilon, const float* x,
                 float* mean, float* inverse) {
  const auto count = static_cast<double>(planes.channels);
  reduce<Sum>(
      stream, scratch, over_channels(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        const double value = x[i];
        return Two{value, value * value};
      },
      [=] ORACLE_DEVICE(std::int64_t row, std::int64_t, Two sum) {
        const double average = sum.first / count;
        const double variance = sum.second / count - average * average;
        mean[row] = static_cast<float>(average);
        inverse[row] = static_cast<float>(1 / sqrt((variance > 0 ? variance : 0) + epsilon));
      });
}

void row_sums(Stream stream, void* scratch, const Planes& planes, const Normalization& by,
              const float* x, const float* dy, float* sums) {
  const std::int64_t rows = planes.rows();
  const Normalization b = by;
  reduce<Sum>(
      stream, scratch, over_channels(planes),
      [=] ORACLE_DEVICE(std::int64_t row, std::int64_t c, std::int64_t, std::int64_t i) {
        const double gradient = double{b.gamma[c]} * double{dy[i]};
        const double normalized = (double{x[i]} - double{b.mean[row]}) * double{b.inverse[row]};
        return Two{gradient, gradient * normalized};
      },
      [=] ORACLE_DEVICE(std::int64_t row, std::int64_t, Two sum) {
        sums[row] = static_cast<float>(sum.first);
        sums[rows + row] = static_cast<float>(sum.second);
      });
}

void sums_over_rows(Stream stream, void* scratch, const Planes& planes, const Normalization& by,
                    const float* x, const float* dy, float* sums) {
  const std::int64_t channels = planes.channels;
  const Normalization b = by;
  reduce<Sum>(
      stream, scratch, over_rows(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t row, std::int64_t, std::int64_t i) {
        const double normalized = (double{x[i]} - double{b.mean[row]}) * double{b.inverse[row]};
        return Two{double{dy[i]} * normalized, double{dy[i]}};
      },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        sums[c] = static_cast<float>(sum.first);
        sums[channels + c] = static_cast<float>(sum.second);
      });
}

void row_exponentials(Stream stream, void* scratch, const Planes& planes, const float* x,
                      Exponentials* rows) {
  reduce<Softmax>(
      stream, scratch, over_channels(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        return Exponentials{double{x[i]}, 1};
      },
      [=] ORACLE_DEVICE(std::int64_t row, std::int64_t, Exponentials all) { rows[row] = all; });
}

void softmax_losses(Stream stream, void* scratch, const Planes& planes, const Exponentials* rows,
                    const float* x, const float* targets, float* losses, std::int64_t* bad) {
  const std::int64_t channels = planes.channels;
  const auto classes = static_cast<float>(channels);
  reduce<Sum>(
      stream, scratch, {planes.samples, planes.positions, 1},
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t row) {
        const float label = targets[row];
        // A NaN is no class either.
        if (!(label >= 0 && label < classes)) {
          *bad = row + 1;
          return Two{0, 0};
        }
        const double score = x[row * channels + static_cast<std::int64_t>(label)];
        return Two{log(rows[row].sum) + rows[row].largest - score, 0};
      },
      [=] ORACLE_DEVICE(std::int64_t sample, std::int64_t, Two sum) {
        losses[sample] = static_cast<float>(sum.first);
      });
}

void softmax_backward(Stream stream, const Planes& planes, const Exponentials* rows, const float* x,
                      const float* targets, double scale, float* dx) {
  const std::int64_t channels = planes.channels;
  parallel_for(stream, planes.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t row = i / channels;
    const auto target = static_cast<std::int64_t>(targets[row]);
    const double share = exp(double{x[i]} - rows[row].largest) / rows[row].sum;
    dx[i] = static_cast<float>((share - (i % channels == target ? 1 : 0)) * scale);
  });
}

void squared_errors(Stream stream, void* scratch, const Planes& planes, const float* x,
                    const float* targets, double share, float* losses) {
  reduce<Sum>(
      stream, scratch, {planes.samples, planes.positions * planes.channels, 1},
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        const double error = double{x[i]} - double{targets[i]};
        return Two{error * error, 0};
      },
      [=] ORACLE_DEVICE(std::int64_t sample, std::int64_t, Two sum) {
        losses[sample] = static_cast<float>(sum.first * share);
      });
}

}  // namespace oracle::gpu
