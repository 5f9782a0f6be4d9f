#include "microbench/kernels/gpu/device/reductions/normalize.h"
#include "microbench/kernels/gpu/device/reductions/reduce.h"
#include "microbench/kernels/gpu/device/reductions/reductions.h"

namespace oracle::gpu {
namespace {

Reduction over_rows(const Planes& planes) { return {1, planes.rows(), planes.channels}; }
Reduction over_positions(const Planes& planes) {
  return {planes.samples, planes.positions, planes.channels};
}

// What a value gives, or two.

template <class T>
struct Alone {
  const T* x;
  template <int n, class Join>
  ORACLE_DEVICE void operator()(const Lanes<n>& at, Join join) const {
    const Floats<n> value = at.of(x);
    for (int lane = 0; lane < n; ++lane) join(lane, Two{double{value[lane]}, 0});
  }
};

template <class T>
struct WithSquare {
  const T* x;
  template <int n, class Join>
  ORACLE_DEVICE void operator()(const Lanes<n>& at, Join join) const {
    const Floats<n> read = at.of(x);
    for (int lane = 0; lane < n; ++lane) {
      const double value = read[lane];
      join(lane, Two{value, value * value});
    }
  }
};

template <class T>
struct Products {
  const T* a;
  const T* b;
  template <int n, class Join>
  ORACLE_DEVICE void operator()(const Lanes<n>& at, Join join) const {
    const Floats<n> left = at.of(a);
    const Floats<n> right = at.of(b);
    for (int lane = 0; lane < n; ++lane) {
      join(lane, Two{double{left[lane]} * double{right[lane]}, 0});
    }
  }
};

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
  reduce_columns<T, Sum>(
      stream, scratch, over_rows(planes), packed<T>(x),
      [=] ORACLE_DEVICE(auto) { return WithSquare<T>{x}; },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        sums[c] = static_cast<float>(sum.first);
        sums[channels + c] = static_cast<float>(sum.second);
      });
}

template <class T>
void channel_moments(Stream stream, void* scratch, const Planes& planes, double epsilon, const T* x,
                     float* mean, float* inverse) {
  const auto count = static_cast<double>(planes.rows());
  reduce_columns<T, Sum>(
      stream, scratch, over_rows(planes), packed<T>(x),
      [=] ORACLE_DEVICE(auto) { return WithSquare<T>{x}; },
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
  reduce_columns<T, Sum>(
      stream, scratch, over_rows(planes), packed_norm<T>(by) && packed<T>(x, dy),
      [=] ORACLE_DEVICE(auto of) {
        const auto norm = norm_of(b, of);
        return [=](auto at, auto join) {
          const auto value = at.of(x);
          const auto given = at.of(dy);
          for (int lane = 0; lane < at.count; ++lane) {
            const double normalized =
                (double{value[lane]} - double{norm.mean[lane]}) * double{norm.inverse[lane]};
            const double gradient =
                double{gradient_through<T>(norm, lane, value[lane], given[lane])};
            join(lane, Two{gradient, gradient * normalized});
          }
        };
      },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        sums[c] = static_cast<float>(sum.first);
        sums[channels + c] = static_cast<float>(sum.second);
      });
}

template <class T>
void channel_sums(Stream stream, void* scratch, const Planes& planes, const T* x, T* to,
                  bool accumulate) {
  reduce_columns<T, Sum>(
      stream, scratch, over_rows(planes), packed<T>(x),
      [=] ORACLE_DEVICE(auto) { return Alone<T>{x}; },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        to[c] = static_cast<T>(static_cast<float>(sum.first) + (accumulate ? wide(to[c]) : 0));
      });
}

template <class T>
void position_sums(Stream stream, void* scratch, const Planes& planes, const T* x, float share,
                   T* to) {
  const std::int64_t channels = planes.channels;
  reduce_columns<T, Sum>(
      stream, scratch, over_positions(planes), packed<T>(x),
      [=] ORACLE_DEVICE(auto) { return Alone<T>{x}; },
      [=] ORACLE_DEVICE(std::int64_t sample, std::int64_t c, Two sum) {
        to[sample * channels + c] = static_cast<T>(static_cast<float>(sum.first * double{share}));
      });
}

template <class T>
void position_products(Stream stream, void* scratch, const Planes& planes, const T* a, const T* b,
                       T* to) {
  const std::int64_t channels = planes.channels;
  reduce_columns<T, Sum>(
      stream, scratch, over_positions(planes), packed<T>(a, b),
      [=] ORACLE_DEVICE(auto) {
        return Products<T>{a, b};
      },
      [=] ORACLE_DEVICE(std::int64_t sample, std::int64_t c, Two sum) {
        to[sample * channels + c] = static_cast<T>(static_cast<float>(sum.first));
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
  template void squared_errors(Stream, void*, const Planes&, const T*, const float*, double,     \
                               float*);
ORACLE_OF(float)
ORACLE_OF(Bf16)
ORACLE_OF(Fp16)
#undef ORACLE_OF

}  // namespace oracle::gpu
