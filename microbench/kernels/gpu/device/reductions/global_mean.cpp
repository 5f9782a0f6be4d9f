// A mean over all positions of the network. A piece sums its own positions and divides by the whole
// layer's, so that the pieces' outputs add up to the mean.

#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"

namespace oracle::gpu {
namespace {

template <class T>
class GlobalMean final : public GpuKernel {
 public:
  GlobalMean(Context& context, const LocalLayer& layer)
      : context_(context),
        planes_(planes_of(layer.inputs[0])),
        share_(1.0F / static_cast<float>(layer.layer->window.volume())) {}

  void forward(const Call& call) override {
    const Block scratch = context_.scratch({planes_.samples, planes_.positions, planes_.channels});
    position_sums(context_.stream(), scratch.data(), planes_, gpu(call.inputs[0]).as<T>(), share_,
                  gpu(call.output).as<T>());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    spread(context_.stream(), planes_, gpu(call.output_gradient).as<T>(), share_,
           gpu(call.input_gradients[0]).as<T>());
  }

 private:
  Context& context_;
  Planes planes_;
  float share_;
};

}  // namespace

std::unique_ptr<Kernel> make_global_mean(Context& context, const LocalLayer& layer) {
  return kernel_of<GlobalMean>(context, layer);
}

}  // namespace oracle::gpu
