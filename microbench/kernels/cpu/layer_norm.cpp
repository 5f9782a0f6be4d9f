// Layer normalization over the channels of each position, in the format of the input:
//   x̂ = (x − μ)/√(σ² + ε),  y = γ·x̂ + β;  with g = γ·dy:
//   dx = (g − mean(g) − x̂·mean(g·x̂))/√(σ² + ε),  dγ = Σ dy·x̂,  dβ = Σ dy
//                                                            Ba, Kiros & Hinton, arXiv 1607.06450
// Each sample is passed over in memory order with one running sum per position.

#include <cmath>
#include <vector>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/kernels.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

/// PyTorch's; a layer keeps none.
constexpr double kEpsilon = 1e-5;

struct LayerNormSaved final : Saved {
  std::vector<double> mean, inverse;  ///< of each sample and position
};

class LayerNorm final : public CpuKernel {
 public:
  LayerNorm(Context& context, const LocalLayer& layer)
      : context_(context), channels_(layer.output.channels) {}

  std::unique_ptr<Saved> saved() const override { return std::make_unique<LayerNormSaved>(); }

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    LayerNormSaved& saved = saved_of(call);
    take_moments(x, saved);
    if (&x != &y) y.rewrite(x.layout().block);
    if (&x != &y && y.layout().filled_up()) y.zero();
    const float* gamma = cpu(call.weights).vector(0);
    const float* beta = cpu(call.weights).vector(1);
    visit(x.layout(), [&](std::int64_t at, std::int64_t channel, std::size_t place) {
      const double normalized = (double{x.data()[at]} - saved.mean[place]) * saved.inverse[place];
      y.data()[at] =
          static_cast<float>(normalized * double{gamma[channel]} + double{beta[channel]});
    });
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    dy.convert(x.layout().block);
    if (&dx != &dy) dx.rewrite(x.layout().block);
    if (&dx != &dy && dx.layout().filled_up()) dx.zero();
    const LayerNormSaved& saved = saved_of(call);
    const float* gamma = cpu(call.weights).vector(0);
    std::vector<double> sums(saved.mean.size()), products(saved.mean.size());
    const auto gradient = [&](std::int64_t at, std::int64_t channel) {
      return double{dy.data()[at]} * double{gamma[channel]};
    };
    const auto normalized = [&](std::int64_t at, std::size_t place) {
      return (double{x.data()[at]} - saved.mean[place]) * saved.inverse[place];
    };
    visit(x.layout(), [&](std::int64_t at, std::int64_t channel, std::size_t place) {
      sums[place] += gradient(at, channel);
      products[place] += gradient(at, channel) * normalized(at, place);
    });
    const auto count = static_cast<double>(channels_);
    visit(x.layout(), [&](std::int64_t at, std::int64_t channel, std::size_t place) {
      const double centred = gradient(at, channel) - sums[place] / count -
                             normalized(at, place) * products[place] / count;
      dx.data()[at] = static_cast<float>(centred * saved.inverse[place]);
    });
  }

  void backward_weights(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    dy.convert(x.layout().block);
    const LayerNormSaved& saved = saved_of(call);
    std::vector<double> scale(static_cast<std::size_t>(channels_)), shift(scale.size());
    visit(x.layout(), [&](std::int64_t at, std::int64_t channel, std::size_t place) {
      const auto c = static_cast<std::size_t>(channel);
      const double gradient = double{dy.data()[at]};
      scale[c] += gradient * (double{x.data()[at]} - saved.mean[place]) * saved.inverse[place];
      shift[c] += gradient;
    });
    write_gradient(call, 0, scale);
    write_gradient(call, 1, shift);
  }

 private:
  static LayerNormSaved& saved_of(const Call& call) {
    auto* saved = dynamic_cast<LayerNormSaved*>(call.saved);
    ensure(saved != nullptr, "layer norm runs without what its forward pass saved");
    return *saved;
  }

  /// Calls visit(offset, channel, index of sample and position) for every value.
  template <class Visit>
  static void visit(const Layout& layout, Visit visit_value) {
    const std::int64_t positions = layout.positions();
    for_each_run(layout, [&](std::int64_t offset, std::int64_t count, std::int64_t sample,
                             std::int64_t first, std::int64_t position) {
      const auto place = static_cast<std::size_t>(sample * positions + position);
      for (std::int64_t lane = 0; lane < count; ++lane) {
        visit_value(offset + lane, first + lane, place);
      }
    });
  }

  void take_moments(const CpuTensor& x, LayerNormSaved& saved) const {
    const auto places = static_cast<std::size_t>(x.extents().samples * x.layout().positions());
    const auto count = static_cast<double>(channels_);
    saved.mean.assign(places, 0);
    saved.inverse.assign(places, 0);
    visit(x.layout(), [&](std::int64_t at, std::int64_t, std::size_t place) {
      saved.mean[place] += double{x.data()[at]} / count;
    });
    visit(x.layout(), [&](std::int64_t at, std::int64_t, std::size_t place) {
      const double centred = double{x.data()[at]} - saved.mean[place];
      saved.inverse[place] += centred * centred / count;
    });
    for (double& variance : saved.inverse) variance = 1 / std::sqrt(variance + kEpsilon);
  }

  void write_gradient(const Call& call, std::size_t index, const std::vector<double>& values) {
    const dnnl::memory::desc vector({channels_}, dnnl::memory::data_type::f32,
                                    dnnl::memory::format_tag::a);
    GradientWriter gradient(context_, cpu(call.weights), index, vector);
    for (std::size_t c = 0; c < values.size(); ++c) {
      gradient.data()[c] = static_cast<float>(values[c]);
    }
    gradient.commit();
  }

  Context& context_;
  std::int64_t channels_;
};

}  // namespace

std::unique_ptr<Kernel> make_layer_norm(Context& context, const LocalLayer& layer) {
  return std::make_unique<LayerNorm>(context, layer);
}

}  // namespace oracle
