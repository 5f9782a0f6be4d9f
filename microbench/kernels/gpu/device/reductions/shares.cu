#include "microbench/kernels/gpu/device/reductions/reduce.h"
#include "microbench/kernels/gpu/device/reductions/shares.h"

namespace oracle::gpu {
namespace {

/// Of exponentials relative to the largest score met so far.
struct Softmax {
  using Value = Two;  ///< the largest score, and the sum
  static ORACLE_DEVICE Two none() { return {0, 0}; }
  static ORACLE_DEVICE Two join(Two a, Two b) {
    if (a.second == 0) return b;
    if (b.second == 0) return a;
    if (a.first >= b.first) return {a.first, a.second + b.second * exp(b.first - a.first)};
    return {b.first, b.second + a.second * exp(a.first - b.first)};
  }
};

/// Which of those that share a value belongs to.
ORACLE_DEVICE std::int64_t sharers_of(const Reduction& s, std::int64_t i) {
  return i / (s.length * s.width) * s.width + i % s.width;
}

std::int64_t elements_of(const Reduction& s) { return s.segments * s.length * s.width; }

}  // namespace

template <class T>
void exponentials(Stream stream, void* scratch, const Reduction& shape, const T* x,
                  Exponentials* to) {
  const std::int64_t width = shape.width;
  reduce<Softmax>(
      stream, scratch, shape,
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        return Two{double{wide(x[i])}, 1};
      },
      [=] ORACLE_DEVICE(std::int64_t segment, std::int64_t column, Two all) {
        to[segment * width + column] = {static_cast<float>(all.first),
                                        static_cast<float>(all.second)};
      });
}

template <class T>
void to_shares(Stream stream, const Reduction& shape, const Exponentials* all, const T* x, T* y) {
  const Reduction s = shape;
  parallel_for(stream, elements_of(shape), [=] ORACLE_DEVICE(std::int64_t i) {
    const Exponentials of = all[sharers_of(s, i)];
    y[i] = static_cast<T>(
        static_cast<float>(exp(double{wide(x[i])} - double{of.largest}) / double{of.sum}));
  });
}

template <class T>
void share_products(Stream stream, void* scratch, const Reduction& shape, const T* y, const T* dy,
                    float* sums) {
  const std::int64_t width = shape.width;
  reduce<Sum>(
      stream, scratch, shape,
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
        return Two{double{wide(dy[i])} * double{wide(y[i])}, 0};
      },
      [=] ORACLE_DEVICE(std::int64_t segment, std::int64_t column, Two sum) {
        sums[segment * width + column] = static_cast<float>(sum.first);
      });
}

template <class T>
void through_shares(Stream stream, const Reduction& shape, const float* sums, const T* y,
                    const T* dy, T* dx) {
  const Reduction s = shape;
  parallel_for(stream, elements_of(shape), [=] ORACLE_DEVICE(std::int64_t i) {
    dx[i] = static_cast<T>(wide(y[i]) * (wide(dy[i]) - sums[sharers_of(s, i)]));
  });
}

template <class T>
void softmax_losses(Stream stream, void* scratch, const Planes& planes, const Exponentials* rows,
                    const T* x, const float* targets, float* losses, Fault* fault) {
  const std::int64_t channels = planes.channels;
  const auto classes = static_cast<float>(channels);
  reduce<Sum>(
      stream, scratch, {planes.samples, planes.positions, 1},
      [=] ORACLE_DEVICE(std::int64_t, std::int64_t, std::int64_t, std::int64_t row) {
        const float label = targets[row];
        // A NaN is no class either.
        if (!(label >= 0 && label < classes)) {
          *fault = {1, label};
          return Two{0, 0};
        }
        const double score = wide(x[row * channels + static_cast<std::int64_t>(label)]);
        return Two{log(double{rows[row].sum}) + double{rows[row].largest} - score, 0};
      },
      [=] ORACLE_DEVICE(std::int64_t sample, std::int64_t, Two sum) {
        losses[sample] = static_cast<float>(sum.first);
      });
}

template <class T>
void softmax_loss_backward(Stream stream, const Planes& planes, const Exponentials* rows,
                           const T* x, const float* targets, const double* scale, T* dx) {
  const std::int64_t channels = planes.channels;
  parallel_for(stream, planes.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t row = i / channels;
    // What is no class is none of these either.
    const auto channel = static_cast<float>(i % channels);
    const bool wanted = targets[row] >= channel && targets[row] < channel + 1;
    const double share =
        exp(double{wide(x[i])} - double{rows[row].largest}) / double{rows[row].sum};
    dx[i] = static_cast<T>(static_cast<float>((share - (wanted ? 1 : 0)) * *scale));
  });
}

#define ORACLE_OF(T)                                                                            \
  template void exponentials(Stream, void*, const Reduction&, const T*, Exponentials*);         \
  template void to_shares(Stream, const Reduction&, const Exponentials*, const T*, T*);         \
  template void share_products(Stream, void*, const Reduction&, const T*, const T*, float*);    \
  template void through_shares(Stream, const Reduction&, const float*, const T*, const T*, T*); \
  template void softmax_losses(Stream, void*, const Planes&, const Exponentials*, const T*,     \
                               const float*, float*, Fault*);                                   \
  template void softmax_loss_backward(Stream, const Planes&, const Exponentials*, const T*,     \
                                      const float*, const double*, T*);
ORACLE_OF(float)
ORACLE_OF(Bf16)
ORACLE_OF(Fp16)
#undef ORACLE_OF

}  // namespace oracle::gpu
