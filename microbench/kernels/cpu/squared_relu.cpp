// The square of a rectifier (So et al., Primer, arXiv 2109.08668): y = max(x, 0)², dx = 2·max(x,
// 0)·dy, element by element in whatever order the input lies. oneDNN has no such function.

#include <algorithm>

#include "microbench/elements/vectorized.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

ORACLE_VECTORIZED void square_above_zero(const float* x, float* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float rectified = std::max(x[i], 0.0F);
    y[i] = rectified * rectified;
  }
}

ORACLE_VECTORIZED void back_above_zero(const float* x, const float* dy, float* dx,
                                       std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) dx[i] = 2 * std::max(x[i], 0.0F) * dy[i];
}

class SquaredRelu final : public CpuKernel {
 public:
  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    y.rewrite(x.layout().block);
    square_above_zero(x.data(), y.data(), x.layout().stored());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    dy.convert(x.layout().block);
    if (&dx != &dy) dx.rewrite(x.layout().block);
    back_above_zero(x.data(), dy.data(), dx.data(), x.layout().stored());
  }
};

}  // namespace

std::unique_ptr<Kernel> make_squared_relu(Context&, const LocalLayer&) {
  return std::make_unique<SquaredRelu>();
}

}  // namespace oracle
