// A product with or a sum of a constant. A layer keeps neither, so that it is 1, or 0: what is read
// is written again, in place where the operand allows it, and the gradient needs no operand at all.

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

class Linear final : public CpuKernel {
 public:
  void forward(const Call& call) override { cpu(call.output).copy_of(cpu(call.inputs[0])); }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    cpu(call.input_gradients[0]).copy_of(cpu(call.output_gradient));
  }
};

}  // namespace

std::unique_ptr<Kernel> make_linear(Context&, const LocalLayer&) {
  return std::make_unique<Linear>();
}

}  // namespace oracle
