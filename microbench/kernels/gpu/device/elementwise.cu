#include "microbench/kernels/gpu/device/elementwise.h"

namespace oracle::gpu {

void add(Stream stream, const float* a, const float* b, float* to, std::int64_t count) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) { to[i] = a[i] + b[i]; });
}

void multiply(Stream stream, const float* a, const float* b, float* to, std::int64_t count) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) { to[i] = a[i] * b[i]; });
}

void store(Stream stream, const float* value, float* to, std::int64_t count, bool accumulate) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    to[i] = accumulate ? to[i] + value[i] : value[i];
  });
}

void scaled_difference(Stream stream, const float* a, const float* b, float scale, float* to,
                       std::int64_t count) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) { to[i] = scale * (a[i] - b[i]); });
}

void multiply_by_gate(Stream stream, const Planes& planes, const float* x, const float* gate,
                      float* y) {
  const Planes p = planes;
  parallel_for(stream, p.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t sample = i / (p.positions * p.channels);
    y[i] = x[i] * gate[sample * p.channels + i % p.channels];
  });
}

void spread(Stream stream, const Planes& planes, const float* x, float share, float* y) {
  const Planes p = planes;
  parallel_for(stream, p.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t sample = i / (p.positions * p.channels);
    y[i] = share * x[sample * p.channels + i % p.channels];
  });
}

void add_bias(Stream stream, const Planes& planes, const float* bias, float* y) {
  const std::int64_t channels = planes.channels;
  parallel_for(stream, planes.elements(),
               [=] ORACLE_DEVICE(std::int64_t i) { y[i] += bias[i % channels]; });
}

void normalize(Stream stream, const Planes& planes, const Normalization& by, const float* x,
               float* y) {
  const std::int64_t channels = planes.channels;
  const Normalization b = by;
  parallel_for(stream, planes.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t c = i % channels;
    const float normalized = (x[i] - b.mean[c]) * b.inverse[c];
    y[i] = normalized * (b.gamma == nullptr ? 1.0F : b.gamma[c]) +
           (b.beta == nullptr ? 0.0F : b.beta[c]);
  });
}

void normalize_backward(Stream stream, const Planes& planes, const Normalization& by,
                        const float* sums, double count, const float* x, const float* dy,
                        float* dx) {
  const std::int64_t channels = planes.channels;
  const Normalization b = by;
  const auto share = static_cast<float>(1 / count);
  parallel_for(stream, planes.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t c = i % channels;
    const float normalized = (x[i] - b.mean[c]) * b.inverse[c];
    const float centred = dy[i] - sums[c] * share - normalized * (sums[channels + c] * share);
    dx[i] = (b.gamma == nullptr ? 1.0F : b.gamma[c]) * b.inverse[c] * centred;
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

void normalize_rows(Stream stream, const Planes& planes, const Normalization& by, const float* x,
                    float* y) {
  const std::int64_t channels = planes.channels;
  const Normalization b = by;
  parallel_for(stream, planes.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t row = i / channels;
    const std::int64_t c = i % channels;
    y[i] = (x[i] - b.mean[row]) * b.inverse[row] * b.gamma[c] + b.beta[c];
  });
}

void normalize_rows_backward(Stream stream, const Planes& planes, const Normalization& by,
                             const float* sums, const float* x, const float* dy, float* dx) {
  const std::int64_t channels = planes.channels;
  const std::int64_t rows = planes.rows();
  const Normalization b = by;
  const float share = 1.0F / static_cast<float>(channels);
  parallel_for(stream, planes.elements(), [=] ORACLE_DEVICE(std::int64_t i) {
    const std::int64_t row = i / channels;
    const float normalized = (x[i] - b.mean[row]) * b.inverse[row];
    const float centred =
        b.gamma[i % channels] * dy[i] - sums[row] * share - normalized * (sums[rows + row] * share);
    dx[i] = b.inverse[row] * centred;
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

}  // namespace

void draw_mask(Stream stream, const Place& place, std::uint64_t key, std::uint8_t* mask) {
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
    const std::uint64_t bits = mixed(key ^ mixed(static_cast<std::uint64_t>(index)));
    // The upper half of [0, 1) is kept, a rate of 1/2.
    mask[i] = static_cast<double>(bits >> 11) * 0x1p-53 >= 0.5 ? 1 : 0;
  });
}

void apply_mask(Stream stream, const std::uint8_t* mask, float scale, const float* from, float* to,
                std::int64_t count) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    to[i] = from[i] * (scale * static_cast<float>(mask[i]));
  });
}

void descent_step(Stream stream, float* weights, const float* gradient, float rate,
                  std::int64_t count) {
  parallel_for(stream, count,
               [=] ORACLE_DEVICE(std::int64_t i) { weights[i] -= rate * gradient[i]; });
}

void momentum_step(Stream stream, float* weights, float* momentum, const float* gradient,
                   float rate, float decay, std::int64_t count) {
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    const float moved = decay * momentum[i] + gradient[i];
    momentum[i] = moved;
    weights[i] -= rate * moved;
  });
}

void adam_step(Stream stream, float* weights, float* first, float* second, const float* gradient,
               const Adam& step, std::int64_t count) {
  const Adam s = step;
  parallel_for(stream, count, [=] ORACLE_DEVICE(std::int64_t i) {
    const float g = gradient[i];
    const float m = s.first_decay * first[i] + s.first_weight * g;
    const float v = s.second_decay * second[i] + s.second_weight * g * g;
    first[i] = m;
    second[i] = v;
    weights[i] -= s.rate * m / (sqrtf(v * s.second_scale) + s.epsilon);
  });
}

}  // namespace oracle::gpu
