// Layers that only look at their input again: flatten, reshape, a pool that pools nothing, a linear
// activation. Values are numbered by channel and position, so other channels are another order,
// both ways; where the channels stay it is a copy, and none where input and output are one tensor.

#include "microbench/kernels/gpu/device/movement/boxes.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"

namespace oracle::gpu {
namespace {

template <class T>
class View final : public GpuKernel {
 public:
  View(Context& context, const LocalLayer& layer)
      : context_(context),
        input_(planes_of(layer.inputs[0])),
        output_(planes_of(layer.output)),
        copies_(input_.channels == output_.channels) {}

  void forward(const Call& call) override {
    move(gpu(call.inputs[0]), input_, gpu(call.output), output_);
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    move(gpu(call.output_gradient), output_, gpu(call.input_gradients[0]), input_);
  }

 private:
  void move(const GpuTensor& from, const Planes& as, const GpuTensor& to, const Planes& seen) {
    if (copies_) return context_.copy_here(to.data(), from.data(), from.bytes());
    renumber(context_.stream(),
             {as.samples, as.channels, as.positions, seen.channels, seen.positions}, from.as<T>(),
             to.as<T>());
  }

  Context& context_;
  Planes input_, output_;
  bool copies_;
};

}  // namespace

std::unique_ptr<Kernel> make_view(Context& context, const LocalLayer& layer) {
  return kernel_of<View>(context, layer);
}

}  // namespace oracle::gpu
