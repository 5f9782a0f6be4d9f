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

template <class T>
void sums_and_squares(Stream stream, void* scratch, const Planes& planes, const T* x, float* sums) {
  const std::int64_t channels = planes.channels;
  reduce<Sum>(
      stream, scratch, over_rows(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        const double value = wide(x[i]);
        return Two{value, value * value};
      },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        sums[c] = static_cast<float>(sum.first);
        sums[channels + c] = static_cast<float>(sum.second);
      });
}

template <class T>
void channel_moments(Stream stream, void* scratch, const Planes& planes, double epsilon, const T* x,
                     float* mean, float* inverse) {
  const auto count = static_cast<double>(planes.rows());
  reduce<Sum>(
      stream, scratch, over_rows(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        const double value = wide(x[i]);
        return Two{value, value * value};
      },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        const double average = sum.first / count;
        const double variance = sum.second / count - average * average;
        mean[c] = static_cast<float>(average);
        inverse[c] = static_cast<float>(1 / sqrt((variance > 0 ? variance : 0) + epsilon));
      });
}

template <class T>
void sums_against_normalized(Stream stream, void* scratch, const Planes& planes,
                             const Normalization& by, const T* x, const T* dy, float* sums) {
  const std::int64_t channels = planes.channels;
  const Normalization b = by;
  reduce<Sum>(
      stream, scratch, over_rows(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t c, std::int64_t i) {
        const double normalized = (double{wide(x[i])} - double{b.mean[c]}) * double{b.inverse[c]};
        return Two{double{wide(dy[i])}, double{wide(dy[i])} * normalized};
      },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        sums[c] = static_cast<float>(sum.first);
        sums[channels + c] = static_cast<float>(sum.second);
      });
}

template <class T>
void channel_sums(Stream stream, void* scratch, const Planes& planes, const T* x, T* to,
                  bool accumulate) {
  reduce<Sum>(
      stream, scratch, over_rows(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        return Two{double{wide(x[i])}, 0};
      },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        to[c] = static_cast<T>(static_cast<float>(sum.first) + (accumulate ? wide(to[c]) : 0));
      });
}

template <class T>
void position_sums(Stream stream, void* scratch, const Planes& planes, const T* x, float share,
                   T* to) {
  const std::int64_t channels = planes.channels;
  reduce<Sum>(
      stream, scratch, over_positions(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        return Two{double{wide(x[i])}, 0};
      },
      [=] ORACLE_DEVICE(std::int64_t sample, std::int64_t c, Two sum) {
        to[sample * channels + c] = static_cast<T>(static_cast<float>(sum.first * double{share}));
      });
}

template <class T>
void position_products(Stream stream, void* scratch, const Planes& planes, const T* a, const T* b,
                       T* to) {
  const std::int64_t channels = planes.channels;
  reduce<Sum>(
      stream, scratch, over_positions(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        return Two{double{wide(a[i])} * double{wide(b[i])}, 0};
      },
      [=] ORACLE_DEVICE(std::int64_t sample, std::int64_t c, Two sum) {
        to[sample * channels + c] = static_cast<T>(static_cast<float>(sum.first));
      });
}

template <class T>
void row_moments(Stream stream, void* scratch, const Planes& planes, double epsilon, const T* x,
                 float* mean, float* inverse) {
  const auto count = static_cast<double>(planes.channels);
  reduce<Sum>(
      stream, scratch, over_channels(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        const double value = wide(x[i]);
        return Two{value, value * value};
      },
      [=] ORACLE_DEVICE(std::int64_t row, std::int64_t, Two sum) {
        const double average = sum.first / count;
        const double variance = sum.second / count - average * average;
        mean[row] = static_cast<float>(average);
        inverse[row] = static_cast<float>(1 / sqrt((variance > 0 ? variance : 0) + epsilon));
      });
}

template <class T>
void row_sums(Stream stream, void* scratch, const Planes& planes, const Normalization& by,
              const T* x, const T* dy, float* sums) {
  const std::int64_t rows = planes.rows();
  const Normalization b = by;
  reduce<Sum>(
      stream, scratch, over_channels(planes),
      [=] ORACLE_DEVICE(std::int64_t row, std::int64_t c, std::int64_t, std::int64_t i) {
        const double gradient = double{b.gamma[c]} * double{wide(dy[i])};
        const double normalized =
            (double{wide(x[i])} - double{b.mean[row]}) * double{b.inverse[row]};
        return Two{gradient, gradient * normalized};
      },
      [=] ORACLE_DEVICE(std::int64_t row, std::int64_t, Two sum) {
        sums[row] = static_cast<float>(sum.first);
        sums[rows + row] = static_cast<float>(sum.second);
      });
}

template <class T>
void sums_over_rows(Stream stream, void* scratch, const Planes& planes, const Normalization& by,
                    const T* x, const T* dy, float* sums) {
  const std::int64_t channels = planes.channels;
  const Normalization b = by;
  reduce<Sum>(
      stream, scratch, over_rows(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t row, std::int64_t, std::int64_t i) {
        const double normalized =
            (double{wide(x[i])} - double{b.mean[row]}) * double{b.inverse[row]};
        return Two{double{wide(dy[i])} * normalized, double{wide(dy[i])}};
      },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        sums[c] = static_cast<float>(sum.first);
        sums[channels + c] = static_cast<float>(sum.second);
      });
}

template <class T>
void row_exponentials(Stream stream, void* scratch, const Planes& planes, const T* x,
                      Exponentials* rows) {
  reduce<Softmax>(
      stream, scratch, over_channels(planes),
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        return Exponentials{double{wide(x[i])}, 1};
      },
      [=] ORACLE_DEVICE(std::int64_t row, std::int64_t, Exponentials all) { rows[row] = all; });
}

template <class T>
void softmax_losses(Stream stream, void* scratch, const Planes& planes, const Exponentials* rows,
                    const T* x, const float* targets, float* losses, std::int64_t* bad) {
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
        const double score = wide(x[row * channels + static_cast<std::int64_t>(label)]);
        return Two{log(rows[row].sum) + rows[row].largest - score, 0};
      },
      [=] ORACLE_DEVICE(std::int64_t sample, std::int64_t, Two sum) {
        losses[sample] = static_cast<float>(sum.first);
      });
}

template <class T>
void softmax_backward(Stream stream, const Planes& planes, const Exponentials* rows, const T* x,
                      const float* targets, double scale, T* dx) {
  const std::int64_t channels = planes.channels;
  parallel_for(stream, planes.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t row = i / channels;
    const auto target = static_cast<std::int64_t>(targets[row]);
    const double share = exp(double{wide(x[i])} - rows[row].largest) / rows[row].sum;
    dx[i] = static_cast<T>(static_cast<float>((share - (i % channels == target ? 1 : 0)) * scale));
  });
}

template <class T>
void squared_errors(Stream stream, void* scratch, const Planes& planes, const T* x,
                    const float* targets, double share, float* losses) {
  reduce<Sum>(
      stream, scratch, {planes.samples, planes.positions * planes.channels, 1},
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        const double error = double{wide(x[i])} - double{targets[i]};
        return Two{error * error, 0};
      },
      [=] ORACLE_DEVICE(std::int64_t sample, std::int64_t, Two sum) {
        losses[sample] = static_cast<float>(sum.first * share);
      });
}

#define ORACLE_OF(T)                                                                             \
  template void sums_and_squares(Stream, void*, const Planes&, const T*, float*);                \
  template void channel_moments(Stream, void*, const Planes&, double, const T*, float*, float*); \
  template void sums_against_normalized(Stream, void*, const Planes&, const Normalization&,      \
                                        const T*, const T*, float*);                             \
  template void channel_sums(Stream, void*, const Planes&, const T*, T*, bool);                  \
  template void position_sums(Stream, void*, const Planes&, const T*, float, T*);                \
  template void position_products(Stream, void*, const Planes&, const T*, const T*, T*);         \
  template void row_moments(Stream, void*, const Planes&, double, const T*, float*, float*);     \
  template void row_sums(Stream, void*, const Planes&, const Normalization&, const T*, const T*, \
                         float*);                                                                \
  template void sums_over_rows(Stream, void*, const Planes&, const Normalization&, const T*,     \
                               const T*, float*);                                                \
  template void row_exponentials(Stream, void*, const Planes&, const T*, Exponentials*);         \
  template void softmax_losses(Stream, void*, const Planes&, const Exponentials*, const T*,      \
                               const float*, float*, std::int64_t*);                             \
  template void softmax_backward(Stream, const Planes&, const Exponentials*, const T*,           \
                                 const float*, double, T*);                                      \
  template void squared_errors(Stream, void*, const Planes&, const T*, const float*, double,     \
                               float*);
ORACLE_OF(float)
ORACLE_OF(Bf16)
ORACLE_OF(Fp16)
#undef ORACLE_OF

}  // namespace oracle::gpu
