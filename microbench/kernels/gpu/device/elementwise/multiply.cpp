// A product with a tensor of the same extents, or with a gate of one position: y = x·g. Along an
// axis where the gate has extent 1 it is used for all of x, and its gradient is a sum.

#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

template <class T>
class Multiply final : public GpuKernel {
 public:
  Multiply(Context& context, const LocalLayer& layer)
      : context_(context),
        planes_(planes_of(layer.inputs[0])),
        full_(layer.inputs[0] == layer.inputs[1]) {
    const Extents& gate = layer.inputs[1];
    const bool per_channel = gate.depth * gate.height * gate.width == 1 &&
                             gate.samples == layer.inputs[0].samples &&
                             gate.channels == layer.inputs[0].channels;
    if (!full_ && !per_channel) {
      throw InputError(layer.layer->name,
                       "the GPU back end multiplies tensors of one shape, or by a gate of a value "
                       "per channel");
    }
  }

  void forward(const Call& call) override {
    by_gate(gpu(call.inputs[0]).as<T>(), gpu(call.inputs[1]).as<T>(), gpu(call.output).as<T>());
  }

  void backward_data(const Call& call) override {
    const T* x = gpu(call.inputs[0]).as<T>();
    const T* dy = gpu(call.output_gradient).as<T>();
    // First the gate's: the other may lie where dy does.
    if (Tensor* wanted = call.input_gradients[1]; wanted != nullptr) {
      T* dgate = gpu(wanted).as<T>();
      if (full_) {
        multiply(context_.stream(), dy, x, dgate, planes_.elements());
      } else {
        const Block scratch =
            context_.scratch({planes_.samples, planes_.positions, planes_.channels});
        position_products(context_.stream(), scratch.data(), planes_, x, dy, dgate);
      }
    }
    if (Tensor* wanted = call.input_gradients[0]; wanted != nullptr) {
      by_gate(dy, gpu(call.inputs[1]).as<T>(), gpu(wanted).as<T>());
    }
  }

 private:
  void by_gate(const T* x, const T* gate, T* y) const {
    if (full_) {
      multiply(context_.stream(), x, gate, y, planes_.elements());
    } else {
      multiply_by_gate(context_.stream(), planes_, x, gate, y);
    }
  }

  Context& context_;
  Planes planes_;
  bool full_;
};

}  // namespace

std::unique_ptr<Kernel> make_multiply(Context& context, const LocalLayer& layer) {
  return kernel_of<Multiply>(context, layer);
}

}  // namespace oracle::gpu
