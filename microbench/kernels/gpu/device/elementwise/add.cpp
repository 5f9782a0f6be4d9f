// A sum of tensors, rectified where the layer behind it is taken along; may run in place of the
// first. Backward hands the gradient to every input, a
// copy where it is not there already.

#include "microbench/kernels/gpu/device/elementwise/elementwise.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"

namespace oracle::gpu {
namespace {

template <class T>
class Add final : public GpuKernel {
 public:
  Add(Context& context, const LocalLayer& layer)
      : context_(context), rectified_(layer.then != nullptr) {}

  void forward(const Call& call) override {
    const GpuTensor& y = gpu(call.output);
    const T* sum = gpu(call.inputs[0]).as<T>();
    for (std::size_t i = 1; i < call.inputs.size(); ++i) {
      const bool last = i + 1 == call.inputs.size();
      add(context_.stream(), sum, gpu(call.inputs[i]).as<T>(), y.as<T>(), y.elements(),
          last && rectified_);
      sum = y.as<T>();
    }
    context_.copy_here(y.data(), sum, y.bytes());
  }

  void backward_data(const Call& call) override {
    const GpuTensor& dy = gpu(call.output_gradient);
    for (Tensor* gradient : call.input_gradients) {
      if (gradient != nullptr) context_.copy_here(gpu(gradient).data(), dy.data(), dy.bytes());
    }
  }

 private:
  Context& context_;
  bool rectified_;
};

}  // namespace

std::unique_ptr<Kernel> make_add(Context& context, const LocalLayer& layer) {
  return kernel_of<Add>(context, layer);
}

}  // namespace oracle::gpu
