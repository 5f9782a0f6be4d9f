// A sum of tensors, in the format of the first; may run in place of it. Backward hands the gradient
// to every input, to the last of them as it is where nobody else reads it.

#include "microbench/kernels/cpu/arrays.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

class Add final : public CpuKernel {
 public:
  void forward(const Call& call) override {
    const CpuTensor& first = cpu(call.inputs[0]);
    const Layout layout = first.layout();
    CpuTensor& y = cpu(call.output);
    if (&y != &first) y.rewrite(layout.block);
    const float* sum = first.data();
    for (Tensor* input : call.inputs.subspan(1)) {
      CpuTensor& term = cpu(input);
      term.convert(layout.block);
      add(y.data(), sum, term.data(), layout.stored());
      sum = y.data();
    }
  }

  void backward_data(const Call& call) override {
    CpuTensor& dy = cpu(call.output_gradient);
    Tensor* heir = call.last_use ? call.input_gradients.back() : nullptr;
    for (Tensor* gradient : call.input_gradients) {
      if (gradient != nullptr && gradient != heir) cpu(gradient).copy_of(dy);
    }
    if (heir != nullptr) cpu(heir).take(dy);
  }
};

}  // namespace

std::unique_ptr<Kernel> make_add(Context&, const LocalLayer&) { return std::make_unique<Add>(); }

}  // namespace oracle
