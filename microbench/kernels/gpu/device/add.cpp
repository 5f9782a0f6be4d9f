// A sum of tensors; may run in place of the first. Backward hands the gradient to every input, a
// copy where it is not there already.

#include "microbench/kernels/gpu/device/elementwise.h"
#include "microbench/kernels/gpu/device/kernels.h"
#include "microbench/kernels/gpu/device/tensor.h"

namespace oracle::gpu {
namespace {

class Add final : public GpuKernel {
 public:
  explicit Add(Context& context) : context_(context) {}

  void forward(const Call& call) override {
    const GpuTensor& y = gpu(call.output);
    const float* sum = gpu(call.inputs[0]).data();
    for (Tensor* input : call.inputs.subspan(1)) {
      add(context_.stream(), sum, gpu(input).data(), y.data(), y.elements());
      sum = y.data();
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

std::unique_ptr<Kernel> make_add(Context& context, const LocalLayer&) {
  return std::make_unique<Add>(context);
}

}  // namespace oracle::gpu
