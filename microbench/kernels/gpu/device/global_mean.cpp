// A mean over all positions of the network. A piece sums its own positions and divides by the whole
// layer's, so that the pieces' outputs add up to the mean.

#include "microbench/kernels/gpu/device/kernels.h"
#include "microbench/kernels/gpu/device/tensor.h"

namespace oracle::gpu {
namespace {

class GlobalMean final : public GpuKernel {
 public:
  GlobalMean(Context& context, const LocalLayer& layer)
      : context_(context),
        planes_(planes_of(layer.inputs[0])),
        share_(1.0F / static_cast<float>(layer.layer->window.volume())) {}

  void forward(const Call& call) override {
    const Block scratch = context_.scratch({planes_.samples, planes_.positions, planes_.channels});
    position_sums(context_.stream(), scratch.data(), planes_, gpu(call.inputs[0]).data(), share_,
                  gpu(call.output).data());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    spread(context_.stream(), planes_, gpu(call.output_gradient).data(), share_,
           gpu(call.input_gradients[0]).data());
  }

 private:
  Context& context_;
  Planes planes_;
  float share_;
};

}  // namespace

std::unique_ptr<Kernel> make_global_mean(Context& context, const LocalLayer& layer) {
  return std::make_unique<GlobalMean>(context, layer);
}

}  // namespace oracle::gpu
