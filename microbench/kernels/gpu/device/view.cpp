// Layers that only look at their input anew: flatten, and a pool that pools nothing. Flattening
// orders the values by channel and position, so maps of several positions are turned, both ways;
// everything else is a copy, and none where input and output are one tensor.

#include "microbench/kernels/gpu/device/boxes.h"
#include "microbench/kernels/gpu/device/kernels.h"
#include "microbench/kernels/gpu/device/tensor.h"

namespace oracle::gpu {
namespace {

template <class T>
class View final : public GpuKernel {
 public:
  View(Context& context, const LocalLayer& layer)
      : context_(context),
        planes_(planes_of(layer.inputs[0])),
        copies_(layer.inputs[0] == layer.output || planes_.positions == 1) {}

  void forward(const Call& call) override {
    const GpuTensor& x = gpu(call.inputs[0]);
    const GpuTensor& y = gpu(call.output);
    if (copies_) return context_.copy(y.data(), x.data(), x.bytes());
    to_channels_first(context_.stream(), x.as<T>(), planes_.samples, planes_.channels,
                      planes_.positions, y.as<T>());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const GpuTensor& dy = gpu(call.output_gradient);
    const GpuTensor& dx = gpu(call.input_gradients[0]);
    if (copies_) return context_.copy(dx.data(), dy.data(), dy.bytes());
    to_channels_last(context_.stream(), dy.as<T>(), planes_.samples, planes_.channels,
                     planes_.positions, dx.as<T>());
  }

 private:
  Context& context_;
  Planes planes_;
  bool copies_;
};

}  // namespace

std::unique_ptr<Kernel> make_view(Context& context, const LocalLayer& layer) {
  return kernel_of<View>(context, layer);
}

}  // namespace oracle::gpu
