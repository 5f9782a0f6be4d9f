// Root-mean-square normalization of each position over the channels of a group:
//   y = γ·x·r,  r = 1/√(mean x² + ε);  dx = r·(γ·dy − x·r²·mean(γ·dy·x)),  dγ = Σ dy·x·r
// on plain memory, with sums in double. r is computed again in backward, and not kept.

#include <cmath>
#include <vector>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

class RmsNorm final : public CpuKernel {
 public:
  RmsNorm(Context& context, const LocalLayer& layer)
      : context_(context), groups_(layer.groups), channels_(layer.output.channels / layer.groups) {
    const Layer& whole = *layer.layer;
    const bool apart = whole.weights[0].elements == whole.output.channels();
    weights_ = apart ? layer.output.channels : channels_;
  }

  void forward(const Call& call) override {
    CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    x.convert(1);
    if (&x != &y) y.rewrite(1);
    const float* gamma = cpu(call.weights).vector(0);
    for_each_row(x, [&](std::int64_t at, std::int64_t positions, std::int64_t first) {
      const double r = inverse(x.data() + at, positions);
      for (std::int64_t c = 0; c < channels_; ++c) {
        const std::int64_t i = at + c * positions;
        y.data()[i] = static_cast<float>(double{gamma[first + c]} * double{x.data()[i]} * r);
      }
    });
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    x.convert(1);
    dy.convert(1);
    if (&dx != &dy) dx.rewrite(1);
    const float* gamma = cpu(call.weights).vector(0);
    for_each_row(x, [&](std::int64_t at, std::int64_t positions, std::int64_t first) {
      const double r = inverse(x.data() + at, positions);
      double sum = 0;
      for (std::int64_t c = 0; c < channels_; ++c) {
        const std::int64_t i = at + c * positions;
        sum += double{gamma[first + c]} * double{dy.data()[i]} * double{x.data()[i]};
      }
      const double mean = sum * r * r / static_cast<double>(channels_);
      for (std::int64_t c = 0; c < channels_; ++c) {
        const std::int64_t i = at + c * positions;
        dx.data()[i] = static_cast<float>(
            r * (double{gamma[first + c]} * double{dy.data()[i]} - double{x.data()[i]} * mean));
      }
    });
  }

  void backward_weights(const Call& call) override {
    CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    x.convert(1);
    dy.convert(1);
    std::vector<double> sums(static_cast<std::size_t>(weights_), 0);
    for_each_row(x, [&](std::int64_t at, std::int64_t positions, std::int64_t first) {
      const double r = inverse(x.data() + at, positions);
      for (std::int64_t c = 0; c < channels_; ++c) {
        const std::int64_t i = at + c * positions;
        sums[static_cast<std::size_t>(first + c)] += double{dy.data()[i]} * double{x.data()[i]} * r;
      }
    });
    write_gradient(context_, cpu(call.weights), 0, sums);
  }

 private:
  /// Calls visit(offset of a row's first channel, distance of two, its first weight).
  template <class Visit>
  void for_each_row(const CpuTensor& x, Visit visit) const {
    const std::int64_t positions = x.layout().positions();
    for (std::int64_t group = 0; group < x.extents().samples * groups_; ++group) {
      const std::int64_t first = group % groups_ * channels_ % weights_;
      for (std::int64_t p = 0; p < positions; ++p) {
        visit(group * channels_ * positions + p, positions, first);
      }
    }
  }

  double inverse(const float* x, std::int64_t positions) const {
    double squares = 0;
    for (std::int64_t c = 0; c < channels_; ++c) {
      const double value{x[c * positions]};
      squares += value * value;
    }
    return 1 / std::sqrt(squares / static_cast<double>(channels_) + kNormEpsilon);
  }

  Context& context_;
  std::int64_t groups_, channels_;  ///< channels of a group
  std::int64_t weights_ = 0;
};

}  // namespace

std::unique_ptr<Kernel> make_rms_norm(Context& context, const LocalLayer& layer) {
  return std::make_unique<RmsNorm>(context, layer);
}

}  // namespace oracle
