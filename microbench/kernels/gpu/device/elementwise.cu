#include "microbench/kernels/gpu/device/elementwise.h"
#include "microbench/kernels/gpu/device/normalize.h"

namespace oracle::gpu {

namespace {

/// A value to be written, by way of a rectifier if need be.
ORACLE_DEVICE float left_of(float value, bool rectified) {
  return rectified && !(value > 0) ? 0 : value;
}

}  // namespace

template <class T>
void add(Stream stream, const T* a, const T* b, T* to, std::int64_t count, bool rectified) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    to[i] = static_cast<T>(left_of(wide(a[i]) + wide(b[i]), rectified));
  });
}

template <class T>
void multiply(Stream stream, const T* a, const T* b, T* to, std::int64_t count) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    to[i] = static_cast<T>(wide(a[i]) * wide(b[i]));
  });
}

template <class From, class To>
void store(Stream stream, const From* value, To* to, std::int64_t count, bool accumulate) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    to[i] = static_cast<To>(accumulate ? wide(to[i]) + wide(value[i]) : wide(value[i]));
  });
}

template <class T>
void scaled_difference(Stream stream, const T* a, const float* b, double share, const double* scale,
                       T* to, std::int64_t count) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    to[i] = static_cast<T>(static_cast<float>(share * *scale) * (wide(a[i]) - b[i]));
  });
}

template <class T>
void multiply_by_gate(Stream stream, const Planes& planes, const T* x, const T* gate, T* y) {
  const Planes p = planes;
  parallel_for(stream, p.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t sample = i / (p.positions * p.channels);
    y[i] = static_cast<T>(wide(x[i]) * wide(gate[sample * p.channels + i % p.channels]));
  });
}

template <class T>
void spread(Stream stream, const Planes& planes, const T* x, float share, T* y) {
  const Planes p = planes;
  parallel_for(stream, p.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t sample = i / (p.positions * p.channels);
    y[i] = static_cast<T>(share * wide(x[sample * p.channels + i % p.channels]));
  });
}

template <class T>
void add_bias(Stream stream, const Planes& planes, const T* bias, T* y, bool rectified) {
  const std::int64_t channels = planes.channels;
  parallel_for(stream, planes.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    y[i] = static_cast<T>(left_of(wide(y[i]) + wide(bias[i % channels]), rectified));
  });
}

template <class T>
void normalize(Stream stream, const Planes& planes, const Normalization& by, const T* x, T* y) {
  const std::int64_t channels = planes.channels;
  const Normalization b = by;
  parallel_for(stream, planes.elements(),
               [=] ORACLE_DEVICE(std::int64_t i) { y[i] = output_of(b, i % channels, x[i]); });
}

template <class T>
void normalize_backward(Stream stream, const Planes& planes, const Normalization& by,
                        const float* sums, double count, const T* x, const T* dy, T* dx) {
  const std::int64_t channels = planes.channels;
  const Normalization b = by;
  const auto share = static_cast<float>(1 / count);
  parallel_for(stream, planes.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t c = i % channels;
    const float centred = gradient_through(b, c, x[i], dy[i]) - sums[c] * share -
                          normalized(b, c, x[i]) * (sums[channels + c] * share);
    dx[i] = static_cast<T>((b.gamma == nullptr ? 1.0F : b.gamma[c]) * b.inverse[c] * centred);
  });
}

void moments_of_sums(Stream stream, const float* sums, double count, double epsilon,
                     std::int64_t channels, float* mean, float* inverse) {
  parallel_for(stream, channels, [=] ORACLE_DEVICE(std::int64_t c) {
    const double average = sums[c] / count;
    const double variance = sums[channels + c] / count - average * average;
    mean[c] = static_cast<float>(average);
    inverse[c] = static_cast<float>(1 / sqrt((variance > 0 ? variance : 0) + epsilon));
  });
}

namespace {

/// The finalizer of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).
ORACLE_DEVICE std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

template <class T>
ORACLE_DEVICE void put(float* weights, T* copy, std::int64_t i, float value) {
  weights[i] = value;
  if (copy != nullptr) copy[i] = static_cast<T>(value);
}

}  // namespace

void draw_mask(Stream stream, const Place& place, const std::uint64_t* seed, std::uint64_t layer,
               std::uint64_t name, std::uint8_t* mask) {
  const Place p = place;
  parallel_for(stream, p.own.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    std::int64_t rest = i;
    const std::int64_t c = p.begin.channels + rest % p.own.channels;
    rest /= p.own.channels;
    const std::int64_t w = p.begin.width + rest % p.own.width;
    rest /= p.own.width;
    const std::int64_t h = p.begin.height + rest % p.own.height;
    rest /= p.own.height;
    const std::int64_t d = p.begin.depth + rest % p.own.depth;
    const std::int64_t n = p.begin.samples + rest / p.own.depth;
    const std::int64_t index =
        (((n * p.whole.channels + c) * p.whole.depth + d) * p.whole.height + h) * p.whole.width + w;
    const std::uint64_t key = mixed(mixed(*seed ^ layer) ^ name);
    const std::uint64_t bits = mixed(key ^ mixed(static_cast<std::uint64_t>(index)));
    // The upper half of [0, 1) is kept, a rate of 1/2.
    mask[i] = static_cast<double>(bits >> 11) * 0x1p-53 >= 0.5 ? 1 : 0;
  });
}

template <class T>
void apply_mask(Stream stream, const std::uint8_t* mask, float scale, const T* from, T* to,
                std::int64_t count) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    to[i] = static_cast<T>(wide(from[i]) * (scale * static_cast<float>(mask[i])));
  });
}

template <class T>
void find_not_finite(Stream stream, const T* values, std::int64_t count, std::int32_t* found) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    const float value = wide(values[i]);
    // Of an infinity and of what is no number this is no number.
    if (value - value != 0) *found = 1;
  });
}

template <class T>
void descent_step(Stream stream, float* weights, T* copy, const T* gradient, const Update* by,
                  std::int64_t count) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    put(weights, copy, i, weights[i] - by->rate * (by->share * wide(gradient[i])));
  });
}

template <class T>
void momentum_step(Stream stream, float* weights, T* copy, float* momentum, const T* gradient,
                   const Update* by, std::int64_t count) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    const float moved = by->decay * momentum[i] + by->share * wide(gradient[i]);
    momentum[i] = moved;
    put(weights, copy, i, weights[i] - by->rate * moved);
  });
}

template <class T>
void adam_step(Stream stream, float* weights, T* copy, float* first, float* second,
               const T* gradient, const Update* by, std::int64_t count) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    const Adam s = by->adam;
    const float d = by->share * wide(gradient[i]);
    const float m = s.first_decay * first[i] + s.first_weight * d;
    const float v = s.second_decay * second[i] + s.second_weight * d * d;
    first[i] = m;
    second[i] = v;
    put(weights, copy, i, weights[i] - s.rate * m / (sqrtf(v * s.second_scale) + s.epsilon));
  });
}

#define ORACLE_OF(T)                                                                              \
  template void add(Stream, const T*, const T*, T*, std::int64_t, bool);                          \
  template void multiply(Stream, const T*, const T*, T*, std::int64_t);                           \
  template void scaled_difference(Stream, const T*, const float*, double, const double*, T*,      \
                                  std::int64_t);                                                  \
  template void multiply_by_gate(Stream, const Planes&, const T*, const T*, T*);                  \
  template void spread(Stream, const Planes&, const T*, float, T*);                               \
  template void add_bias(Stream, const Planes&, const T*, T*, bool);                              \
  template void normalize(Stream, const Planes&, const Normalization&, const T*, T*);             \
  template void normalize_backward(Stream, const Planes&, const Normalization&, const float*,     \
                                   double, const T*, const T*, T*);                               \
  template void apply_mask(Stream, const std::uint8_t*, float, const T*, T*, std::int64_t);       \
  template void find_not_finite(Stream, const T*, std::int64_t, std::int32_t*);                   \
  template void descent_step(Stream, float*, T*, const T*, const Update*, std::int64_t);          \
  template void momentum_step(Stream, float*, T*, float*, const T*, const Update*, std::int64_t); \
  template void adam_step(Stream, float*, T*, float*, float*, const T*, const Update*,            \
                          std::int64_t);
ORACLE_OF(float)
ORACLE_OF(Bf16)
ORACLE_OF(Fp16)
#undef ORACLE_OF

#define ORACLE_OF(T)                                                 \
  template void store(Stream, const float*, T*, std::int64_t, bool); \
  template void store(Stream, const T*, float*, std::int64_t, bool); \
  template void store(Stream, const T*, T*, std::int64_t, bool);
ORACLE_OF(Bf16)
ORACLE_OF(Fp16)
#undef ORACLE_OF
template void store(Stream, const float*, float*, std::int64_t, bool);

}  // namespace oracle::gpu
