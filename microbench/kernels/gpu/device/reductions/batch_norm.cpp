// Batch normalization, over this rank's own samples and positions or with statistics summed over
// ranks:
//   x̂ = (x − μ)/√(σ² + ε),  y = γ·x̂ + β,
//   dx = γ/√(σ² + ε)·(dy − Σdy/m − x̂·Σdy·x̂/m),  dγ = Σdy·x̂,  dβ = Σdy
//                                                        Ioffe & Szegedy, ICML 2015, section 3
// with the biased variance σ² and m values per channel over all ranks. dγ and dβ are this rank's
// summands in either case. A rectifier behind it is taken along: forward writes max(y, 0), and dy
// is that one's, which counts where y is positive. The kernels are ours and not cuDNN's: given sums
// and own ones take one way, at the same two reads of x forward, and two of x and dy backward.

#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"
#include "microbench/kernels/gpu/device/runtime/weights.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

/// PyTorch's; a layer keeps none.
constexpr double kEpsilon = 1e-5;

struct BatchNormSaved final : Saved {
  Block mean, inverse;
  Block own_sums;  ///< this rank's Σdy and Σdy·x̂, once asked for
};

BatchNormSaved& saved_of(const Call& call) {
  auto* saved = dynamic_cast<BatchNormSaved*>(call.saved);
  ensure(saved != nullptr, "batch norm runs without what its forward pass saved");
  return *saved;
}

template <class T>
class BatchNorm final : public GpuKernel {
 public:
  BatchNorm(Context& context, const LocalLayer& layer)
      : context_(context),
        planes_(planes_of(layer.output)),
        affine_(!layer.layer->weights.empty()),
        rectified_(layer.then != nullptr) {}

  std::unique_ptr<Saved> saved() const override {
    auto saved = std::make_unique<BatchNormSaved>();
    saved->mean = context_.floats(planes_.channels);
    saved->inverse = context_.floats(planes_.channels);
    return saved;
  }

  void forward(const Call& call) override {
    const GpuTensor& x = gpu(call.inputs[0]);
    BatchNormSaved& saved = saved_of(call);
    if (call.statistics != nullptr) {
      const Block sums = uploaded(*call.statistics);
      moments_of_sums(context_.stream(), sums.floats(), call.statistics->count, kEpsilon,
                      planes_.channels, saved.mean.floats(), saved.inverse.floats());
    } else {
      const Block scratch = context_.scratch(over_rows());
      channel_moments(context_.stream(), scratch.data(), planes_, kEpsilon, x.as<T>(),
                      saved.mean.floats(), saved.inverse.floats());
    }
    normalize(context_.stream(), planes_, normalization(call), x.as<T>(), gpu(call.output).as<T>());
  }

  void backward_data(const Call& call) override {
    const GpuTensor& x = gpu(call.inputs[0]);
    const GpuTensor& dy = gpu(call.output_gradient);
    BatchNormSaved& saved = saved_of(call);
    if (saved.own_sums.data() == nullptr) saved.own_sums = own_sums(call);
    if (affine_) write_gradients(call, saved.own_sums);
    const Block own = std::move(saved.own_sums);
    if (call.input_gradients[0] == nullptr) return;
    const GpuTensor& dx = gpu(call.input_gradients[0]);
    if (call.statistics != nullptr) {
      const Block sums = uploaded(*call.statistics);
      normalize_backward(context_.stream(), planes_, normalization(call), sums.floats(),
                         call.statistics->count, x.as<T>(), dy.as<T>(), dx.as<T>());
    } else {
      normalize_backward(context_.stream(), planes_, normalization(call), own.floats(),
                         static_cast<double>(planes_.rows()), x.as<T>(), dy.as<T>(), dx.as<T>());
    }
  }

  std::vector<float> statistics(const Call& call, Pass pass) override {
    if (pass != Pass::forward) {
      saved_of(call).own_sums = own_sums(call);
      return downloaded(saved_of(call).own_sums);
    }
    const Block sums = context_.floats(2 * planes_.channels);
    const Block scratch = context_.scratch(over_rows());
    sums_and_squares(context_.stream(), scratch.data(), planes_, gpu(call.inputs[0]).as<T>(),
                     sums.floats());
    return downloaded(sums);
  }

 private:
  Reduction over_rows() const { return {1, planes_.rows(), planes_.channels}; }

  Normalization normalization(const Call& call) const {
    const BatchNormSaved& saved = saved_of(call);
    Normalization by{saved.mean.floats(), saved.inverse.floats(), nullptr, nullptr, rectified_};
    if (!affine_) return by;
    by.gamma = gpu(call.weights).value(0);
    by.beta = gpu(call.weights).value(1);
    return by;
  }

  Block uploaded(const Statistics& statistics) const {
    Block sums = context_.floats(static_cast<std::int64_t>(statistics.sums.size()));
    context_.copy(sums.data(), statistics.sums.data(), sums.bytes());
    return sums;
  }

  std::vector<float> downloaded(const Block& sums) const {
    std::vector<float> values(static_cast<std::size_t>(2 * planes_.channels));
    context_.copy(values.data(), sums.data(), sums.bytes());
    return values;
  }

  Block own_sums(const Call& call) const {
    Block sums = context_.floats(2 * planes_.channels);
    const Block scratch = context_.scratch(over_rows());
    sums_against_normalized(context_.stream(), scratch.data(), planes_, normalization(call),
                            gpu(call.inputs[0]).as<T>(), gpu(call.output_gradient).as<T>(),
                            sums.floats());
    return sums;
  }

  void write_gradients(const Call& call, const Block& sums) const {
    GpuWeights& weights = gpu(call.weights);
    const float* of_dy = sums.floats();
    const float* of_products = of_dy + planes_.channels;
    store(context_.stream(), of_products, weights.gradient<T>(0), planes_.channels,
          weights.accumulates(0));
    store(context_.stream(), of_dy, weights.gradient<T>(1), planes_.channels,
          weights.accumulates(1));
    weights.wrote(0);
    weights.wrote(1);
  }

  Context& context_;
  Planes planes_;
  bool affine_, rectified_;
};

}  // namespace

std::unique_ptr<Kernel> make_batch_norm(Context& context, const LocalLayer& layer) {
  return kernel_of<BatchNorm>(context, layer);
}

}  // namespace oracle::gpu
