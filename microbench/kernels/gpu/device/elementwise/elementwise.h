#pragma once
// What is done to whole arrays, value by value? Sums, products, activation functions, what
// normalization does once its statistics are known, dropout, and the optimizer's steps.
//
// `rows` are samples and positions, `channels` lie side by side in a row. T is the type of tensors,
// gradients and what passes read of a contraction's weights (element.h); statistics, the parameters
// of normalizations, targets and losses are fp32.
//                                                     tests/microbench/kernels/kinds_test.cpp

#include <string_view>

#include "microbench/kernels/gpu/device/runtime/element.h"
#include "microbench/kernels/gpu/device/runtime/step_values.h"
#include "microbench/kernels/tensor.h"

namespace oracle::gpu {

/// to = a + b, or max(a + b, 0); `to` may be either.
template <class T>
void add(Stream stream, const T* a, const T* b, T* to, std::int64_t count, bool rectified = false);
/// to = a·b
template <class T>
void multiply(Stream stream, const T* a, const T* b, T* to, std::int64_t count);
/// to = value, in another type if need be, or adds it to what is there.
template <class From, class To>
void store(Stream stream, const From* value, To* to, std::int64_t count, bool accumulate);
/// to = share·scale·(a − b), the scale on the device
template <class T>
void scaled_difference(Stream stream, const T* a, const float* b, double share, const double* scale,
                       T* to, std::int64_t count);

/// A tensor as samples of positions of channels.
struct Planes {
  std::int64_t samples = 0, positions = 0, channels = 0;
  std::int64_t rows() const { return samples * positions; }
  std::int64_t elements() const { return rows() * channels; }
};
/// y = x·gate, the gate of one value per sample and channel.
template <class T>
void multiply_by_gate(Stream stream, const Planes& planes, const T* x, const T* gate, T* y);
/// y = share·x, x of one value per sample and channel.
template <class T>
void spread(Stream stream, const Planes& planes, const T* x, float share, T* y);
/// y += bias of the channel; what is below 0 becomes 0 where `rectified`.
template <class T>
void add_bias(Stream stream, const Planes& planes, const T* bias, T* y, bool rectified = false);

enum class Function : std::uint8_t {
  relu,
  relu6,
  relu2,
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
  power,
};

/// y = f(x); may run in place.
template <class T>
void activate(Stream stream, Function function, const T* x, T* y, std::int64_t count);
/// dx = f'·dy; `kept` is the output where the derivative follows from it (Layer::keeps_output),
/// else the input.
template <class T>
void activate_backward(Stream stream, Function function, const T* kept, const T* dy, T* dx,
                       std::int64_t count);

/// y = (x − mean)·inverse·gamma + beta of each channel; gamma and beta may be null. `rectified`, in
/// a batch norm: max(y, 0), whose gradient backward is given.
struct Normalization {
  const float* mean = nullptr;
  const float* inverse = nullptr;
  const float* gamma = nullptr;
  const float* beta = nullptr;
  bool rectified = false;
};
template <class T>
void normalize(Stream stream, const Planes& planes, const Normalization& by, const T* x, T* y);
/// dx = γ·inverse·(dy − Σdy/m − x̂·Σdy·x̂/m); `sums` holds Σdy of each channel, then Σdy·x̂.
template <class T>
void normalize_backward(Stream stream, const Planes& planes, const Normalization& by,
                        const float* sums, double count, const T* x, const T* dy, T* dx);
/// mean and 1/√(σ² + ε) of Σx, then Σx², over `count` values of each channel.
void moments_of_sums(Stream stream, const float* sums, double count, double epsilon,
                     std::int64_t channels, float* mean, float* inverse);

/// Where a piece lies in the whole mini-batch's output.
struct Place {
  Extents own, begin, whole;
};
/// 1 where a value is kept, 0 where it is dropped; by the step's seed, which lies on the device,
/// and the layer's number and name.
void draw_mask(Stream stream, const Place& place, const std::uint64_t* seed, std::uint64_t layer,
               std::uint64_t name, std::uint8_t* mask);
/// to = scale·mask·from
template <class T>
void apply_mask(Stream stream, const std::uint8_t* mask, float scale, const T* from, T* to,
                std::int64_t count);

/// `found` becomes 1 where a value is infinite or no number.
template <class T>
void find_not_finite(Stream stream, const T* values, std::int64_t count, std::int32_t* found);

// Steps of weights that are fp32; `copy`, if not null, gets what passes read of them. `by` lies on
// the device; g is its share of the gradient.

/// w −= rate·g
template <class T>
void descent_step(Stream stream, float* weights, T* copy, const T* gradient, const Update* by,
                  std::int64_t count);
/// m = decay·m + g;  w −= rate·m
template <class T>
void momentum_step(Stream stream, float* weights, T* copy, float* momentum, const T* gradient,
                   const Update* by, std::int64_t count);
/// m = β₁·m + (1−β₁)·g;  v = β₂·v + (1−β₂)·g²;  w −= rate·m̂/(√v̂ + ε)     Kingma & Ba, ICLR 2015
template <class T>
void adam_step(Stream stream, float* weights, T* copy, float* first, float* second,
               const T* gradient, const Update* by, std::int64_t count);

}  // namespace oracle::gpu
