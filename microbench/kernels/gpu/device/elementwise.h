#pragma once
// What is done to whole arrays, value by value? Sums, products, activation functions, what
// normalization does once its statistics are known, dropout, and the optimizer's steps.
//
// `rows` are samples and positions, `channels` lie side by side in a row.
//                                                     tests/microbench/kernels/kinds_test.cpp

#include <string_view>

#include "microbench/kernels/gpu/device/parallel.h"
#include "microbench/kernels/tensor.h"

namespace oracle::gpu {

/// to = a + b; `to` may be either.
void add(Stream stream, const float* a, const float* b, float* to, std::int64_t count);
/// to = a·b
void multiply(Stream stream, const float* a, const float* b, float* to, std::int64_t count);
/// to = value, or adds it to what is there.
void store(Stream stream, const float* value, float* to, std::int64_t count, bool accumulate);
/// to = scale·(a − b)
void scaled_difference(Stream stream, const float* a, const float* b, float scale, float* to,
                       std::int64_t count);

/// A tensor as samples of positions of channels.
struct Planes {
  std::int64_t samples = 0, positions = 0, channels = 0;
  std::int64_t rows() const { return samples * positions; }
  std::int64_t elements() const { return rows() * channels; }
};
/// y = x·gate, the gate of one value per sample and channel.
void multiply_by_gate(Stream stream, const Planes& planes, const float* x, const float* gate,
                      float* y);
/// y = share·x, x of one value per sample and channel.
void spread(Stream stream, const Planes& planes, const float* x, float share, float* y);
/// y += bias of the channel.
void add_bias(Stream stream, const Planes& planes, const float* bias, float* y);

enum class Function : std::uint8_t {
  relu,
  relu6,
  leaky_relu,
  sigmoid,
  tanh,
  silu,
  hardswish,
  hardsigmoid,
  gelu,
  elu,
  softplus,
  mish,
  exp,
  log,
  sqrt,
  abs,
};

/// y = f(x); may run in place.
void activate(Stream stream, Function function, const float* x, float* y, std::int64_t count);
/// dx = f'·dy; `kept` is the output where the derivative follows from it (Layer::keeps_output),
/// else the input.
void activate_backward(Stream stream, Function function, const float* kept, const float* dy,
                       float* dx, std::int64_t count);

/// y = (x − mean)·inverse·gamma + beta of each channel; gamma and beta may be null.
struct Normalization {
  const float* mean = nullptr;
  const float* inverse = nullptr;
  const float* gamma = nullptr;
  const float* beta = nullptr;
};
void normalize(Stream stream, const Planes& planes, const Normalization& by, const float* x,
               float* y);
/// dx = γ·inverse·(dy − Σdy/m − x̂·Σdy·x̂/m); `sums` holds Σdy of each channel, then Σdy·x̂.
void normalize_backward(Stream stream, const Planes& planes, const Normalization& by,
                        const float* sums, double count, const float* x, const float* dy,
                        float* dx);
/// mean and 1/√(σ² + ε) of Σx, then Σx², over `count` values of each channel.
void moments_of_sums(Stream stream, const float* sums, double count, double epsilon,
                     std::int64_t channels, float* mean, float* inverse);
/// The same over the channels of each row; mean and inverse by row, `sums` of γ·dy and γ·dy·x̂ by
/// row.
void normalize_rows(Stream stream, const Planes& planes, const Normalization& by, const float* x,
                    float* y);
void normalize_rows_backward(Stream stream, const Planes& planes, const Normalization& by,
                             const float* sums, const float* x, const float* dy, float* dx);

/// Where a piece lies in the whole mini-batch's output.
struct Place {
  Extents own, begin, whole;
};
/// 1 where a value is kept, 0 where it is dropped.
void draw_mask(Stream stream, const Place& place, std::uint64_t key, std::uint8_t* mask);
/// to = scale·mask·from
void apply_mask(Stream stream, const std::uint8_t* mask, float scale, const float* from, float* to,
                std::int64_t count);

/// w −= rate·g
void descent_step(Stream stream, float* weights, const float* gradient, float rate,
                  std::int64_t count);
/// m = decay·m + g;  w −= rate·m
void momentum_step(Stream stream, float* weights, float* momentum, const float* gradient,
                   float rate, float decay, std::int64_t count);
struct Adam {
  float rate = 0;  ///< the learning rate over the first moment's bias, 1 − β₁ᵗ
  float first_decay = 0, first_weight = 1;
  float second_decay = 0, second_weight = 1;
  float second_scale = 1;  ///< one over the second moment's bias, 1 − β₂ᵗ
  float epsilon = 0;
};
/// m = β₁·m + (1−β₁)·g;  v = β₂·v + (1−β₂)·g²;  w −= rate·m̂/(√v̂ + ε)     Kingma & Ba, ICLR 2015
void adam_step(Stream stream, float* weights, float* first, float* second, const float* gradient,
               const Adam& step, std::int64_t count);

}  // namespace oracle::gpu
