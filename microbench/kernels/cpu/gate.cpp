// A gated activation, y = f(x)·u with f silu, gelu or sigmoid, and its gradients dx = dy·u·f'(x)
// and du = dy·f(x), element by element in whatever order the first input lies.

#include <cmath>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/logistic.h"

namespace oracle {
namespace {

ValueAndSlope sigmoid(double x) {
  const double share = logistic(x);
  return {share, share * (1 - share)};
}

ValueAndSlope gelu(double x) {
  constexpr double kRootHalf = 0.70710678118654752440, kRootOfTwoPi = 2.50662827463100050242;
  const double part = 0.5 * (1 + std::erf(x * kRootHalf));
  return {x * part, part + x * std::exp(-x * x / 2) / kRootOfTwoPi};
}

class Gate final : public CpuKernel {
 public:
  explicit Gate(const LocalLayer& layer)
      : function_(layer.layer->variant == "gelu"      ? gelu
                  : layer.layer->variant == "sigmoid" ? sigmoid
                                                      : silu) {}

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& u = cpu(call.inputs[1]);
    CpuTensor& y = cpu(call.output);
    u.convert(x.layout().block);
    y.rewrite(x.layout().block);
    for (std::int64_t i = 0; i < x.layout().stored(); ++i) {
      y.data()[i] = static_cast<float>(function_(double{x.data()[i]}).value * double{u.data()[i]});
    }
  }

  void backward_data(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& u = cpu(call.inputs[1]);
    CpuTensor& dy = cpu(call.output_gradient);
    u.convert(x.layout().block);
    dy.convert(x.layout().block);
    float* dx = begin(call.input_gradients[0], x);
    float* du = begin(call.input_gradients[1], x);
    for (std::int64_t i = 0; i < x.layout().stored(); ++i) {
      const ValueAndSlope f = function_(double{x.data()[i]});
      const double gradient{dy.data()[i]};
      if (dx != nullptr) dx[i] = static_cast<float>(gradient * double{u.data()[i]} * f.slope);
      if (du != nullptr) du[i] = static_cast<float>(gradient * f.value);
    }
  }

 private:
  static float* begin(Tensor* gradient, const CpuTensor& x) {
    if (gradient == nullptr) return nullptr;
    cpu(gradient).rewrite(x.layout().block);
    return cpu(gradient).data();
  }

  ValueAndSlope (*function_)(double);
};

}  // namespace

std::unique_ptr<Kernel> make_gate(Context&, const LocalLayer& layer) {
  return std::make_unique<Gate>(layer);
}

}  // namespace oracle
