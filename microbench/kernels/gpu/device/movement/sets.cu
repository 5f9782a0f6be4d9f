#include "microbench/kernels/gpu/device/movement/sets.h"
#include "microbench/kernels/gpu/device/reductions/reduce.h"

namespace oracle::gpu {
namespace {

ORACLE_DEVICE float gamma_of(const Normalization& by, std::int64_t channel) {
  return by.gamma == nullptr ? 1.0F : by.gamma[channel];
}
ORACLE_DEVICE float beta_of(const Normalization& by, std::int64_t channel) {
  return by.beta == nullptr ? 0.0F : by.beta[channel];
}
ORACLE_DEVICE double normalized(const Normalization& by, std::int64_t set, float x) {
  return (double{x} - double{by.mean[set]}) * double{by.inverse[set]};
}

}  // namespace

template <class T>
void set_moments(Stream stream, void* scratch, const Sets& sets, double epsilon, const T* x,
                 float* mean, float* inverse) {
  const Sets s = sets;
  const auto count = static_cast<double>(sets.values());
  reduce<Sum>(
      stream, scratch, sets.shape(),
      [=] ORACLE_DEVICE(std::int64_t set, std::int64_t k, std::int64_t, std::int64_t) {
        const double value = wide(x[s.place(set, k)]);
        return Two{value, value * value};
      },
      [=] ORACLE_DEVICE(std::int64_t set, std::int64_t, Two sum) {
        const double average = sum.first / count;
        const double variance = sum.second / count - average * average;
        mean[set] = static_cast<float>(average);
        inverse[set] = static_cast<float>(1 / sqrt((variance > 0 ? variance : 0) + epsilon));
      });
}

template <class T>
void set_sums(Stream stream, void* scratch, const Sets& sets, const Normalization& by, const T* x,
              const T* dy, float* sums) {
  const Sets s = sets;
  const std::int64_t count = sets.count();
  const Normalization b = by;
  reduce<Sum>(
      stream, scratch, sets.shape(),
      [=] ORACLE_DEVICE(std::int64_t set, std::int64_t k, std::int64_t, std::int64_t) {
        const std::int64_t i = s.place(set, k);
        const double gradient = double{gamma_of(b, i % s.channels)} * double{wide(dy[i])};
        return Two{gradient, gradient * normalized(b, set, wide(x[i]))};
      },
      [=] ORACLE_DEVICE(std::int64_t set, std::int64_t, Two sum) {
        sums[set] = static_cast<float>(sum.first);
        sums[count + set] = static_cast<float>(sum.second);
      });
}

template <class T>
void sums_over_sets(Stream stream, void* scratch, const Sets& sets, const Normalization& by,
                    const T* x, const T* dy, float* sums) {
  const Sets s = sets;
  const Normalization b = by;
  reduce<Sum>(
      stream, scratch, {1, sets.samples * sets.positions, sets.channels},
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        const double gradient = wide(dy[i]);
        return Two{gradient * normalized(b, s.of(i), wide(x[i])), gradient};
      },
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t c, Two sum) {
        sums[c] = static_cast<float>(sum.first);
        sums[s.channels + c] = static_cast<float>(sum.second);
      });
}

template <class T>
void normalize_sets(Stream stream, const Sets& sets, const Normalization& by, const T* x, T* y) {
  const Sets s = sets;
  const Normalization b = by;
  parallel_for(stream, sets.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t set = s.of(i);
    const std::int64_t c = i % s.channels;
    y[i] = static_cast<T>((wide(x[i]) - b.mean[set]) * b.inverse[set] * gamma_of(b, c) +
                          beta_of(b, c));
  });
}

template <class T>
void normalize_sets_backward(Stream stream, const Sets& sets, const Normalization& by,
                             const float* sums, const T* x, const T* dy, T* dx) {
  const Sets s = sets;
  const std::int64_t count = sets.count();
  const Normalization b = by;
  const float share = 1.0F / static_cast<float>(sets.values());
  parallel_for(stream, sets.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t set = s.of(i);
    const float of_x = (wide(x[i]) - b.mean[set]) * b.inverse[set];
    const float centred = gamma_of(b, i % s.channels) * wide(dy[i]) - sums[set] * share -
                          of_x * (sums[count + set] * share);
    dx[i] = static_cast<T>(b.inverse[set] * centred);
  });
}

#define ORACLE_OF(T)                                                                             \
  template void set_moments(Stream, void*, const Sets&, double, const T*, float*, float*);       \
  template void set_sums(Stream, void*, const Sets&, const Normalization&, const T*, const T*,   \
                         float*);                                                                \
  template void sums_over_sets(Stream, void*, const Sets&, const Normalization&, const T*,       \
                               const T*, float*);                                                \
  template void normalize_sets(Stream, const Sets&, const Normalization&, const T*, T*);         \
  template void normalize_sets_backward(Stream, const Sets&, const Normalization&, const float*, \
                                        const T*, const T*, T*);
ORACLE_OF(float)
ORACLE_OF(Bf16)
ORACLE_OF(Fp16)
#undef ORACLE_OF

}  // namespace oracle::gpu
