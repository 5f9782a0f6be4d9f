// The activation that oneDNN 2.x lacks: y = min(max(x/6 + 1/2, 0), 1), dx = dy/6 where 0 < y < 1.

#include <algorithm>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

class HardSigmoid final : public CpuKernel {
 public:
  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    y.rewrite(x.layout().block);
    // Not over all of memory: the function of a filling zero is no zero.
    if (y.layout().filled_up()) y.zero();
    for_each_run(x.layout(), [&](std::int64_t offset, std::int64_t count, std::int64_t,
                                 std::int64_t, std::int64_t) {
      for (std::int64_t i = offset; i < offset + count; ++i) {
        y.data()[i] = std::clamp(x.data()[i] / 6 + 0.5F, 0.0F, 1.0F);
      }
    });
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    dy.convert(x.layout().block);
    if (&dx != &dy) dx.rewrite(x.layout().block);
    for (std::int64_t i = 0; i < x.layout().stored(); ++i) {
      const bool rising = x.data()[i] > -3 && x.data()[i] < 3;
      dx.data()[i] = rising ? dy.data()[i] / 6 : 0;
    }
  }
};

}  // namespace

std::unique_ptr<Kernel> make_hard_sigmoid(Context&, const LocalLayer&) {
  return std::make_unique<HardSigmoid>();
}

}  // namespace oracle
