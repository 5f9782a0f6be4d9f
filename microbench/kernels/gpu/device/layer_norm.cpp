// Layer normalization over the channels of each position:
//   x̂ = (x − μ)/√(σ² + ε),  y = γ·x̂ + β;  with g = γ·dy:
//   dx = (g − mean(g) − x̂·mean(g·x̂))/√(σ² + ε),  dγ = Σ dy·x̂,  dβ = Σ dy
//                                                            Ba, Kiros & Hinton, arXiv 1607.06450

#include "microbench/kernels/gpu/device/kernels.h"
#include "microbench/kernels/gpu/device/tensor.h"
#include "microbench/kernels/gpu/device/weights.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

/// PyTorch's; a layer keeps none.
constexpr double kEpsilon = 1e-5;

struct LayerNormSaved final : Saved {
  Block mean, inverse;  ///< of each sample and position
};

template <class T>
class LayerNorm final : public GpuKernel {
 public:
  LayerNorm(Context& context, const LocalLayer& layer)
      : context_(context), planes_(planes_of(layer.output)) {}

  std::unique_ptr<Saved> saved() const override {
    auto saved = std::make_unique<LayerNormSaved>();
    saved->mean = context_.floats(planes_.rows());
    saved->inverse = context_.floats(planes_.rows());
    return saved;
  }

  void forward(const Call& call) override {
    const GpuTensor& x = gpu(call.inputs[0]);
    const Normalization by = normalization(call);
    const LayerNormSaved& saved = saved_of(call);
    const Block scratch = context_.scratch(over_channels());
    row_moments(context_.stream(), scratch.data(), planes_, kEpsilon, x.as<T>(),
                saved.mean.floats(), saved.inverse.floats());
    normalize_rows(context_.stream(), planes_, by, x.as<T>(), gpu(call.output).as<T>());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const T* x = gpu(call.inputs[0]).as<T>();
    const T* dy = gpu(call.output_gradient).as<T>();
    const Block sums = context_.floats(2 * planes_.rows());
    const Block scratch = context_.scratch(over_channels());
    row_sums(context_.stream(), scratch.data(), planes_, normalization(call), x, dy, sums.floats());
    normalize_rows_backward(context_.stream(), planes_, normalization(call), sums.floats(), x, dy,
                            gpu(call.input_gradients[0]).as<T>());
  }

  void backward_weights(const Call& call) override {
    GpuWeights& weights = gpu(call.weights);
    const Block sums = context_.floats(2 * planes_.channels);
    const Block scratch = context_.scratch({1, planes_.rows(), planes_.channels});
    sums_over_rows(context_.stream(), scratch.data(), planes_, normalization(call),
                   gpu(call.inputs[0]).as<T>(), gpu(call.output_gradient).as<T>(), sums.floats());
    for (const std::size_t index : {std::size_t{0}, std::size_t{1}}) {
      const float* from = sums.floats() + static_cast<std::int64_t>(index) * planes_.channels;
      store(context_.stream(), from, weights.gradient<T>(index), planes_.channels,
            weights.accumulates(index));
      weights.wrote(index);
    }
  }

 private:
  static LayerNormSaved& saved_of(const Call& call) {
    auto* saved = dynamic_cast<LayerNormSaved*>(call.saved);
    ensure(saved != nullptr, "layer norm runs without what its forward pass saved");
    return *saved;
  }

  static Normalization normalization(const Call& call) {
    const LayerNormSaved& saved = saved_of(call);
    const GpuWeights& weights = gpu(call.weights);
    return {saved.mean.floats(), saved.inverse.floats(), weights.value(0), weights.value(1)};
  }

  Reduction over_channels() const { return {planes_.rows(), planes_.channels, 1}; }

  Context& context_;
  Planes planes_;
};

}  // namespace

std::unique_ptr<Kernel> make_layer_norm(Context& context, const LocalLayer& layer) {
  return kernel_of<LayerNorm>(context, layer);
}

}  // namespace oracle::gpu
