// Normalizations by a sample's own statistics: of each position over its channels (layer norm), or
// of groups of channels over all positions (group norm). With x̂ = (x − μ)/√(σ² + ε), y = γ·x̂ + β
// over the m values of a set, and g = γ·dy:
//   dx = (g − Σg/m − x̂·Σg·x̂/m)/√(σ² + ε),  dγ = Σ dy·x̂,  dβ = Σ dy
//                           Ba, Kiros & Hinton, arXiv 1607.06450; Wu & He, ECCV 2018

#include "microbench/kernels/gpu/device/movement/sets.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"
#include "microbench/kernels/gpu/device/runtime/weights.h"
#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"

namespace oracle::gpu {
namespace {

/// PyTorch's; a layer keeps none.
constexpr double kEpsilon = 1e-5;

/// Of each set.
struct Moments final : Saved {
  Block mean, inverse;
};

Sets sets_of(const LocalLayer& layer) {
  const Planes planes = planes_of(layer.output);
  if (layer.layer->kind->name == "layer_norm") {
    return {planes.rows(), 1, planes.channels, planes.channels};
  }
  return {planes.samples, planes.positions, planes.channels, planes.channels / layer.groups};
}

template <class T>
class SampleNorm final : public GpuKernel {
 public:
  SampleNorm(Context& context, const LocalLayer& layer)
      : context_(context), sets_(sets_of(layer)), trained_(layer.layer->trainable()) {}

  std::unique_ptr<Saved> saved() const override {
    auto saved = std::make_unique<Moments>();
    saved->mean = context_.floats(sets_.count());
    saved->inverse = context_.floats(sets_.count());
    return saved;
  }

  void forward(const Call& call) override {
    const T* x = gpu(call.inputs[0]).as<T>();
    const Moments& saved = saved_of(call);
    const Block scratch = context_.scratch(sets_.shape());
    set_moments(context_.stream(), scratch.data(), sets_, kEpsilon, x, saved.mean.floats(),
                saved.inverse.floats());
    normalize_sets(context_.stream(), sets_, normalization(call), x, gpu(call.output).as<T>());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const T* x = gpu(call.inputs[0]).as<T>();
    const T* dy = gpu(call.output_gradient).as<T>();
    const Block sums = context_.floats(2 * sets_.count());
    const Block scratch = context_.scratch(sets_.shape());
    set_sums(context_.stream(), scratch.data(), sets_, normalization(call), x, dy, sums.floats());
    normalize_sets_backward(context_.stream(), sets_, normalization(call), sums.floats(), x, dy,
                            gpu(call.input_gradients[0]).as<T>());
  }

  void backward_weights(const Call& call) override {
    if (!trained_) return;
    GpuWeights& weights = gpu(call.weights);
    const Block sums = context_.floats(2 * sets_.channels);
    const Block scratch = context_.scratch({1, sets_.samples * sets_.positions, sets_.channels});
    sums_over_sets(context_.stream(), scratch.data(), sets_, normalization(call),
                   gpu(call.inputs[0]).as<T>(), gpu(call.output_gradient).as<T>(), sums.floats());
    for (const std::size_t index : {std::size_t{0}, std::size_t{1}}) {
      const float* from = sums.floats() + static_cast<std::int64_t>(index) * sets_.channels;
      store(context_.stream(), from, weights.gradient<T>(index), sets_.channels,
            weights.accumulates(index));
      weights.wrote(index);
    }
  }

 private:
  static Moments& saved_of(const Call& call) {
    auto* saved = dynamic_cast<Moments*>(call.saved);
    ensure(saved != nullptr, "a normalization runs without what its forward pass saved");
    return *saved;
  }

  Normalization normalization(const Call& call) const {
    const Moments& saved = saved_of(call);
    Normalization by{saved.mean.floats(), saved.inverse.floats(), nullptr, nullptr};
    if (!trained_) return by;
    by.gamma = gpu(call.weights).value(0);
    by.beta = gpu(call.weights).value(1);
    return by;
  }

  Context& context_;
  Sets sets_;
  bool trained_;
};

}  // namespace

std::unique_ptr<Kernel> make_sample_norm(Context& context, const LocalLayer& layer) {
  return kernel_of<SampleNorm>(context, layer);
}

}  // namespace oracle::gpu
