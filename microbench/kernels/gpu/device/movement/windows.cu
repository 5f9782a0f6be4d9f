#include "microbench/kernels/gpu/device/movement/places.h"
#include "microbench/kernels/gpu/device/movement/windows.h"
#include "microbench/kernels/gpu/device/runtime/lanes.h"

namespace oracle::gpu {
namespace {

/// A window as plain numbers that a body can carry; axes are depth, height, width.
struct Slide {
  std::int64_t in[3], out[3], kernel[3], stride[3], pad[3], dilation[3];
  std::int64_t samples, channels;

  ORACLE_DEVICE std::int64_t in_positions() const { return in[0] * in[1] * in[2]; }
  ORACLE_DEVICE std::int64_t out_positions() const { return out[0] * out[1] * out[2]; }
  /// Input position that tap `k` of window `o` reads, which may be outside.
  ORACLE_DEVICE std::int64_t read(int axis, std::int64_t o, std::int64_t k) const {
    return o * stride[axis] - pad[axis] + k * dilation[axis];
  }
  ORACLE_DEVICE bool inside(int axis, std::int64_t i) const { return i >= 0 && i < in[axis]; }
  /// The window whose tap `k` reads position `i`, or −1.
  ORACLE_DEVICE std::int64_t window_at(int axis, std::int64_t i, std::int64_t k) const {
    const std::int64_t begin = i + pad[axis] - k * dilation[axis];
    if (begin < 0 || begin % stride[axis] != 0) return -1;
    const std::int64_t o = begin / stride[axis];
    return o < out[axis] ? o : -1;
  }
  /// Taps of a window that lie inside, along one axis.
  ORACLE_DEVICE std::int64_t taps(int axis, std::int64_t o) const {
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < kernel[axis]; ++k) count += inside(axis, read(axis, o, k)) ? 1 : 0;
    return count;
  }
};

Slide slide_of(const Pooling& p) {
  Slide s{};
  const std::int64_t in[3] = {p.input.depth, p.input.height, p.input.width};
  const std::int64_t out[3] = {p.output.depth, p.output.height, p.output.width};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    s.in[axis] = in[axis];
    s.out[axis] = out[axis];
    s.kernel[axis] = p.window.kernel[axis];
    s.stride[axis] = p.window.stride[axis];
    s.pad[axis] = p.window.pad_before[axis];
    s.dilation[axis] = p.window.dilation[axis];
  }
  s.samples = p.input.samples;
  s.channels = p.input.channels;
  return s;
}

/// Calls visit(position) for the input positions inside a window, in the order of its taps.
template <class Visit>
ORACLE_DEVICE void for_each_tap(const Slide& s, const At& at, Visit visit) {
  for (std::int64_t a = 0; a < s.kernel[0]; ++a) {
    const std::int64_t d = s.read(0, at.p[0], a);
    for (std::int64_t b = 0; b < s.kernel[1]; ++b) {
      const std::int64_t h = s.read(1, at.p[1], b);
      for (std::int64_t c = 0; c < s.kernel[2]; ++c) {
        const std::int64_t w = s.read(2, at.p[2], c);
        if (!s.inside(0, d) || !s.inside(1, h) || !s.inside(2, w)) continue;
        visit((d * s.in[1] + h) * s.in[2] + w);
      }
    }
  }
}

/// Calls visit(output position, d, h, w) for the windows that read an input position.
template <class Visit>
ORACLE_DEVICE void for_each_window(const Slide& s, const At& at, Visit visit) {
  for (std::int64_t a = 0; a < s.kernel[0]; ++a) {
    const std::int64_t d = s.window_at(0, at.p[0], a);
    for (std::int64_t b = 0; b < s.kernel[1]; ++b) {
      const std::int64_t h = s.window_at(1, at.p[1], b);
      for (std::int64_t c = 0; c < s.kernel[2]; ++c) {
        const std::int64_t w = s.window_at(2, at.p[2], c);
        if (d < 0 || h < 0 || w < 0) continue;
        visit((d * s.out[1] + h) * s.out[2] + w, d, h, w);
      }
    }
  }
}

}  // namespace

template <class T>
void max_pool(Stream stream, const Pooling& pooling, const T* x, T* y, std::int32_t* places) {
  const Slide s = slide_of(pooling);
  const bool wide_enough = packed<T>(x, y, places);
  for_rows<T>(stream, pooling.output.elements(), s.channels, wide_enough,
              [=] ORACLE_DEVICE(auto to) {
                const At at = place(s.out, s.channels, to.begin);
                const std::int64_t begin = at.sample * s.in_positions();
                auto largest = to.all(-INFINITY);
                auto best = to.all(std::int32_t{-1});
                for_each_tap(s, at, [&](std::int64_t position) {
                  const auto value = to.at((begin + position) * s.channels + at.channel).of(x);
                  for (int lane = 0; lane < to.count; ++lane) {
                    if (best[lane] >= 0 && !(value[lane] > largest[lane])) continue;
                    largest[lane] = value[lane];
                    best[lane] = static_cast<std::int32_t>(position);
                  }
                });
                to.store(y, [&](int lane) { return largest[lane]; });
                to.store(places, [&](int lane) { return best[lane]; });
              });
}

template <class T>
void max_pool_backward(Stream stream, const Pooling& pooling, const std::int32_t* places,
                       const T* dy, T* dx) {
  const Slide s = slide_of(pooling);
  const bool wide_enough = packed<T>(places, dy, dx);
  for_rows<T>(
      stream, pooling.input.elements(), s.channels, wide_enough, [=] ORACLE_DEVICE(auto to) {
        const At at = place(s.in, s.channels, to.begin);
        const std::int64_t own = (at.p[0] * s.in[1] + at.p[1]) * s.in[2] + at.p[2];
        const std::int64_t begin = at.sample * s.out_positions();
        auto sum = to.all(0.0F);
        for_each_window(s, at, [&](std::int64_t output, std::int64_t, std::int64_t, std::int64_t) {
          const auto from = to.at((begin + output) * s.channels + at.channel);
          const auto best = from.load(places);
          const auto gradient = from.of(dy);
          for (int lane = 0; lane < to.count; ++lane) {
            if (best[lane] == own) sum[lane] += gradient[lane];
          }
        });
        to.store(dx, [&](int lane) { return sum[lane]; });
      });
}

template <class T>
void mean_pool(Stream stream, const Pooling& pooling, const T* x, T* y) {
  const Slide s = slide_of(pooling);
  const std::int64_t count = pooling.output.elements();
  for_rows<T>(stream, count, s.channels, packed<T>(x, y), [=] ORACLE_DEVICE(auto to) {
    const At at = place(s.out, s.channels, to.begin);
    const std::int64_t begin = at.sample * s.in_positions();
    auto sum = to.all(0.0F);
    std::int64_t taps = 0;
    for_each_tap(s, at, [&](std::int64_t position) {
      const auto value = to.at((begin + position) * s.channels + at.channel).of(x);
      for (int lane = 0; lane < to.count; ++lane) sum[lane] += value[lane];
      ++taps;
    });
    to.store(y, [&](int lane) { return sum[lane] / static_cast<float>(taps); });
  });
}

template <class T>
void mean_pool_backward(Stream stream, const Pooling& pooling, const T* dy, T* dx) {
  const Slide s = slide_of(pooling);
  const std::int64_t count = pooling.input.elements();
  for_rows<T>(stream, count, s.channels, packed<T>(dy, dx), [=] ORACLE_DEVICE(auto to) {
    const At at = place(s.in, s.channels, to.begin);
    const std::int64_t begin = at.sample * s.out_positions();
    auto sum = to.all(0.0F);
    for_each_window(
        s, at, [&](std::int64_t output, std::int64_t d, std::int64_t h, std::int64_t w) {
          const auto taps = static_cast<float>(s.taps(0, d) * s.taps(1, h) * s.taps(2, w));
          const auto gradient = to.at((begin + output) * s.channels + at.channel).of(dy);
          for (int lane = 0; lane < to.count; ++lane) sum[lane] += gradient[lane] / taps;
        });
    to.store(dx, [&](int lane) { return sum[lane]; });
  });
}

template <class T>
void response_norm(Stream stream, const ResponseNorm& norm, const T* x, T* y, float* s) {
  const ResponseNorm n = norm;
  parallel_for(stream, n.rows * n.channels, [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t row = i / n.channels * n.channels;
    const std::int64_t c = i % n.channels;
    const std::int64_t reach = n.size / 2;
    const std::int64_t last = c + reach < n.channels ? c + reach : n.channels - 1;
    float sum = 0;
    for (std::int64_t o = c > reach ? c - reach : 0; o <= last; ++o) {
      sum += wide(x[row + o]) * wide(x[row + o]);
    }
    s[i] = n.bias + n.alpha / static_cast<float>(n.size) * sum;
    y[i] = static_cast<T>(wide(x[i]) * powf(s[i], -n.beta));
  });
}

template <class T>
void response_norm_backward(Stream stream, const ResponseNorm& norm, const T* x, const float* s,
                            const T* dy, T* dx) {
  const ResponseNorm n = norm;
  parallel_for(stream, n.rows * n.channels, [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t row = i / n.channels * n.channels;
    const std::int64_t c = i % n.channels;
    const std::int64_t reach = n.size / 2;
    const std::int64_t last = c + reach < n.channels ? c + reach : n.channels - 1;
    float sum = 0;
    for (std::int64_t o = c > reach ? c - reach : 0; o <= last; ++o) {
      sum += wide(dy[row + o]) * wide(x[row + o]) * powf(s[row + o], -n.beta - 1);
    }
    const float share = 2 * n.alpha * n.beta / static_cast<float>(n.size);
    dx[i] = static_cast<T>(wide(dy[i]) * powf(s[i], -n.beta) - share * wide(x[i]) * sum);
  });
}

#define ORACLE_OF(T)                                                                          \
  template void max_pool(Stream, const Pooling&, const T*, T*, std::int32_t*);                \
  template void max_pool_backward(Stream, const Pooling&, const std::int32_t*, const T*, T*); \
  template void mean_pool(Stream, const Pooling&, const T*, T*);                              \
  template void mean_pool_backward(Stream, const Pooling&, const T*, T*);                     \
  template void response_norm(Stream, const ResponseNorm&, const T*, T*, float*);             \
  template void response_norm_backward(Stream, const ResponseNorm&, const T*, const float*,   \
                                       const T*, T*);
ORACLE_OF(float)
ORACLE_OF(Bf16)
ORACLE_OF(Fp16)
#undef ORACLE_OF

}  // namespace oracle::gpu
