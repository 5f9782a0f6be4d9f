// A short convolution of each channel along a text, with silu: y = f(z), z[p] = Σ_j w[j]·x[p−t+1+j]
// + b. Backward forms z again:
//   dz = dy·f'(z),  dx[p] = Σ_j w[j]·dz[p+t−1−j],  dw[j] = Σ_p dz[p]·x[p−t+1+j],  db = Σ dz
// on plain memory, a channel's positions side by side, with sums in double.

#include <vector>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/logistic.h"

namespace oracle {
namespace {

class CausalConvolution final : public CpuKernel {
 public:
  CausalConvolution(Context& context, const LocalLayer& layer)
      : context_(context),
        channels_(layer.output.channels),
        positions_(layer.output.width),
        taps_(layer.layer->weights[0].elements / layer.layer->output.channels()),
        silu_(layer.layer->variant == "silu"),
        biased_(layer.layer->weights.size() > 1),
        slopes_(static_cast<std::size_t>(positions_)) {}

  void forward(const Call& call) override {
    const float* x = plain_floats(call.inputs[0]);
    float* y = fresh_floats(call.output);
    for_each_channel(call, [&](std::int64_t c, std::int64_t at) {
      for (std::int64_t p = 0; p < positions_; ++p) {
        const double z = sum(call, c, x + at, p);
        y[at + p] = static_cast<float>(silu_ ? silu(z).value : z);
      }
    });
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const float *x = plain_floats(call.inputs[0]), *dy = plain_floats(call.output_gradient);
    float* dx = fresh_floats(call.input_gradients[0]);
    const float* w = cpu(call.weights).vector(0);
    for_each_channel(call, [&](std::int64_t c, std::int64_t at) {
      form_slopes(call, c, x + at, dy + at);
      for (std::int64_t p = 0; p < positions_; ++p) {
        double total = 0;
        for (std::int64_t j = 0; j < taps_; ++j) {
          const std::int64_t to = p + taps_ - 1 - j;
          if (to < positions_) total += double{w[c * taps_ + j]} * slope(to);
        }
        dx[at + p] = static_cast<float>(total);
      }
    });
  }

  void backward_weights(const Call& call) override {
    const float *x = plain_floats(call.inputs[0]), *dy = plain_floats(call.output_gradient);
    std::vector<double> taps(static_cast<std::size_t>(channels_ * taps_), 0),
        biases(static_cast<std::size_t>(channels_), 0);
    for_each_channel(call, [&](std::int64_t c, std::int64_t at) {
      form_slopes(call, c, x + at, dy + at);
      for (std::int64_t p = 0; p < positions_; ++p) {
        biases[static_cast<std::size_t>(c)] += slope(p);
        for (std::int64_t j = 0; j < taps_; ++j) {
          const std::int64_t from = p - taps_ + 1 + j;
          if (from < 0) continue;
          taps[static_cast<std::size_t>(c * taps_ + j)] += slope(p) * double{x[at + from]};
        }
      }
    });
    write_gradient(context_, cpu(call.weights), 0, taps);
    if (biased_) write_gradient(context_, cpu(call.weights), 1, biases);
  }

 private:
  double slope(std::int64_t p) const { return slopes_[static_cast<std::size_t>(p)]; }

  template <class Visit>
  void for_each_channel(const Call& call, Visit visit) const {
    const std::int64_t samples = cpu(call.inputs[0]).extents().samples;
    for (std::int64_t i = 0; i < samples * channels_; ++i) visit(i % channels_, i * positions_);
  }

  double sum(const Call& call, std::int64_t c, const float* x, std::int64_t p) const {
    const CpuWeights& weights = cpu(call.weights);
    const float* w = weights.vector(0) + c * taps_;
    double total = biased_ ? double{weights.vector(1)[c]} : 0;
    for (std::int64_t j = 0; j < taps_; ++j) {
      const std::int64_t from = p - taps_ + 1 + j;
      if (from >= 0) total += double{w[j]} * double{x[from]};
    }
    return total;
  }

  /// dz of a channel, in `slopes_`.
  void form_slopes(const Call& call, std::int64_t c, const float* x, const float* dy) {
    for (std::int64_t p = 0; p < positions_; ++p) {
      const double factor = silu_ ? silu(sum(call, c, x, p)).slope : 1;
      slopes_[static_cast<std::size_t>(p)] = factor * double{dy[p]};
    }
  }

  Context& context_;
  std::int64_t channels_, positions_, taps_;
  bool silu_, biased_;
  std::vector<double> slopes_;
};

}  // namespace

std::unique_ptr<Kernel> make_causal_convolution(Context& context, const LocalLayer& layer) {
  return std::make_unique<CausalConvolution>(context, layer);
}

}  // namespace oracle
