// A sum of tensors; may run in place of the first. Backward hands the gradient to every input, a
// copy where it is not there already.

#include "microbench/kernels/gpu/device/elementwise.h"
#include "microbench/kernels/gpu/device/kernels.h"
#include "microbench/kernels/gpu/device/tensor.h"

namespace oracle::gpu {
namespace {

template <class T>
class Add final : public GpuKernel {
 public:
  Add(Context& context, const LocalLayer&) : context_(context) {}

  void forward(const Call& call) override {
    const GpuTensor& y = gpu(call.output);
    const T* sum = gpu(call.inputs[0]).as<T>();
    for (Tensor* input : call.inputs.subspan(1)) {
      add(context_.stream(), sum, gpu(input).as<T>(), y.as<T>(), y.elements());
      sum = y.as<T>();
    }
    context_.copy(y.data(), sum, y.bytes());
  }

  void backward_data(const Call& call) override {
    const GpuTensor& dy = gpu(call.output_gradient);
    for (Tensor* gradient : call.input_gradients) {
      if (gradient != nullptr) context_.copy(gpu(gradient).data(), dy.data(), dy.bytes());
    }
  }

 private:
  Context& context_;
};

}  // namespace

std::unique_ptr<Kernel> make_add(Context& context, const LocalLayer& layer) {
  return kernel_of<Add>(context, layer);
}

}  // namespace oracle::gpu
