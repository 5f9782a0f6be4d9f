#include "microbench/kernels/gpu/device/reductions/normalize.h"

namespace oracle::gpu {

namespace {

/// A value to be written, by way of a rectifier if need be.
ORACLE_DEVICE float left_of(float value, bool rectified) {
  return rectified && !(value > 0) ? 0 : value;
}

/// Lanes of a tensor as those of one value per sample and channel.
template <int n>
ORACLE_DEVICE Lanes<n> in_sample(const Planes& planes, const Lanes<n>& at) {
  const std::int64_t sample = at.begin / (planes.positions * planes.channels);
  return {sample * planes.channels + at.begin % planes.channels};
}

}  // namespace

template <class T>
void add(Stream stream, const T* a, const T* b, T* to, std::int64_t count, bool rectified) {
  for_values<T>(stream, count, packed<T>(a, b, to), [=] ORACLE_DEVICE(auto at) {
    const auto left = at.of(a);
    const auto right = at.of(b);
    at.store(to, [&](int lane) { return left_of(left[lane] + right[lane], rectified); });
  });
}

template <class T>
void multiply(Stream stream, const T* a, const T* b, T* to, std::int64_t count) {
  for_values<T>(stream, count, packed<T>(a, b, to), [=] ORACLE_DEVICE(auto at) {
    const auto left = at.of(a);
    const auto right = at.of(b);
    at.store(to, [&](int lane) { return left[lane] * right[lane]; });
  });
}

template <class From, class To>
void store(Stream stream, const From* value, To* to, std::int64_t count, bool accumulate) {
  for_values<To>(stream, count, packed<To>(value, to), [=] ORACLE_DEVICE(auto at) {
    const auto given = at.of(value);
    const auto there = at.of(accumulate ? to : nullptr, 0);
    at.store(to, [&](int lane) { return accumulate ? there[lane] + given[lane] : given[lane]; });
  });
}

template <class T>
void scaled_difference(Stream stream, const T* a, const float* b, double share, const double* scale,
                       T* to, std::int64_t count) {
  for_values<T>(stream, count, packed<T>(a, b, to), [=] ORACLE_DEVICE(auto at) {
    const auto factor = static_cast<float>(share * *scale);
    const auto left = at.of(a);
    const auto right = at.of(b);
    at.store(to, [&](int lane) { return factor * (left[lane] - right[lane]); });
  });
}

template <class T>
void multiply_by_gate(Stream stream, const Planes& planes, const T* x, const T* gate, T* y) {
  const Planes p = planes;
  for_rows<T>(stream, p.elements(), p.channels, packed<T>(x, gate, y), [=] ORACLE_DEVICE(auto at) {
    const auto value = at.of(x);
    const auto factor = in_sample(p, at).of(gate);
    at.store(y, [&](int lane) { return value[lane] * factor[lane]; });
  });
}

template <class T>
void spread(Stream stream, const Planes& planes, const T* x, float share, T* y) {
  const Planes p = planes;
  for_rows<T>(stream, p.elements(), p.channels, packed<T>(x, y), [=] ORACLE_DEVICE(auto at) {
    const auto value = in_sample(p, at).of(x);
    at.store(y, [&](int lane) { return share * value[lane]; });
  });
}

template <class T>
void add_bias(Stream stream, const Planes& planes, const T* bias, T* y, bool rectified) {
  for_columns<T>(stream, planes, packed<T>(bias, y), [=] ORACLE_DEVICE(auto channels) {
    const auto added = channels.of(bias);
    return [=](auto at) {
      const auto value = at.of(y);
      at.store(y, [&](int lane) { return left_of(value[lane] + added[lane], rectified); });
    };
  });
}

template <class T>
void normalize(Stream stream, const Planes& planes, const Normalization& by, const T* x, T* y) {
  const Normalization b = by;
  for_columns<T>(stream, planes, packed_norm<T>(by) && packed<T>(x, y),
                 [=] ORACLE_DEVICE(auto channels) {
                   const auto norm = norm_of(b, channels);
                   return [=](auto at) {
                     const auto value = at.of(x);
                     at.store(y, [&](int lane) { return output_of<T>(norm, lane, value[lane]); });
                   };
                 });
}

template <class T>
void normalize_backward(Stream stream, const Planes& planes, const Normalization& by,
                        const float* sums, double count, const T* x, const T* dy, T* dx) {
  const Normalization b = by;
  const float* products = sums + planes.channels;
  const auto share = static_cast<float>(1 / count);
  for_columns<T>(stream, planes, packed_norm<T>(by) && packed<T>(sums, products, x, dy, dx),
                 [=] ORACLE_DEVICE(auto channels) {
                   const auto norm = norm_of(b, channels);
                   const auto of_dy = channels.of(sums);
                   const auto of_products = channels.of(products);
                   return [=](auto at) {
                     const auto value = at.of(x);
                     const auto gradient = at.of(dy);
                     at.store(dx, [&](int lane) {
                       const float centred =
                           gradient_through<T>(norm, lane, value[lane], gradient[lane]) -
                           of_dy[lane] * share -
                           normalized(norm, lane, value[lane]) * (of_products[lane] * share);
                       return norm.gamma[lane] * norm.inverse[lane] * centred;
                     });
                   };
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

template <int n, class T, class Value>
ORACLE_DEVICE void put(const Lanes<n>& at, float* weights, T* copy, Value value) {
  Floats<n> made;
  for (int lane = 0; lane < n; ++lane) made[lane] = value(lane);
  at.store(weights, [&](int lane) { return made[lane]; });
  if (copy != nullptr) at.store(copy, [&](int lane) { return made[lane]; });
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
  for_values<T>(stream, count, packed<T>(mask, from, to), [=] ORACLE_DEVICE(auto at) {
    const auto value = at.of(from);
    const auto kept = at.of(mask);
    at.store(to, [&](int lane) { return value[lane] * (scale * kept[lane]); });
  });
}

template <class T>
void find_not_finite(Stream stream, const T* values, std::int64_t count, std::int32_t* found) {
  for_values<T>(stream, count, packed<T>(values), [=] ORACLE_DEVICE(auto at) {
    const auto value = at.of(values);
    for (int lane = 0; lane < at.count; ++lane) {
      // Of an infinity and of what is no number this is no number.
      if (value[lane] - value[lane] != 0) *found = 1;
    }
  });
}

template <class T>
void descent_step(Stream stream, float* weights, T* copy, const T* gradient, const Update* by,
                  std::int64_t count) {
  for_values<T>(stream, count, packed<T>(weights, copy, gradient), [=] ORACLE_DEVICE(auto at) {
    const auto weight = at.of(weights);
    const auto g = at.of(gradient);
    put(at, weights, copy,
        [&](int lane) { return weight[lane] - by->rate * (by->share * g[lane]); });
  });
}

template <class T>
void momentum_step(Stream stream, float* weights, T* copy, float* momentum, const T* gradient,
                   const Update* by, std::int64_t count) {
  const bool wide_enough = packed<T>(weights, copy, momentum, gradient);
  for_values<T>(stream, count, wide_enough, [=] ORACLE_DEVICE(auto at) {
    const auto weight = at.of(weights);
    const auto g = at.of(gradient);
    auto moved = at.of(momentum);
    for (int lane = 0; lane < at.count; ++lane) {
      moved[lane] = by->decay * moved[lane] + by->share * g[lane];
    }
    at.store(momentum, [&](int lane) { return moved[lane]; });
    put(at, weights, copy, [&](int lane) { return weight[lane] - by->rate * moved[lane]; });
  });
}

template <class T>
void adam_step(Stream stream, float* weights, T* copy, float* first, float* second,
               const T* gradient, const Update* by, std::int64_t count) {
  const bool wide_enough = packed<T>(weights, copy, first, second, gradient);
  for_values<T>(stream, count, wide_enough, [=] ORACLE_DEVICE(auto at) {
    const Adam s = by->adam;
    const float share = by->share;
    const auto weight = at.of(weights);
    const auto g = at.of(gradient);
    auto m = at.of(first);
    auto v = at.of(second);
    for (int lane = 0; lane < at.count; ++lane) {
      const float d = share * g[lane];
      m[lane] = s.first_decay * m[lane] + s.first_weight * d;
      v[lane] = s.second_decay * v[lane] + s.second_weight * d * d;
    }
    at.store(first, [&](int lane) { return m[lane]; });
    at.store(second, [&](int lane) { return v[lane]; });
    put(at, weights, copy, [&](int lane) {
      return weight[lane] - s.rate * m[lane] / (sqrtf(v[lane] * s.second_scale) + s.epsilon);
    });
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
