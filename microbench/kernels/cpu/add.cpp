// A sum of tensors, in the format of the first; may run in place of it. Backward hands the gradient
// to every input, a copy where it is not there already.

#include "microbench/kernels/cpu/arrays.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

class Add final : public CpuKernel {
 public:
  void forward(const Call& call) override {
    const CpuTensor& first = cpu(call.inputs[0]);
    const StorageLayout layout = first.layout();
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
    const CpuTensor& dy = cpu(call.output_gradient);
    for (Tensor* gradient : call.input_gradients) {
      if (gradient != nullptr) cpu(gradient).copy_of(dy);
    }
  }
};

}  // namespace

std::unique_ptr<Kernel> make_add(Context&, const LocalLayer&) { return std::make_unique<Add>(); }

}  // namespace oracle
