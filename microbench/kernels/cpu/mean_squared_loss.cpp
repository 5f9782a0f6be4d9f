// L = 1/n·Σ (x − t)² of each sample, n the elements of the whole network's sample, so that pieces
// add up; dx = gradient_scale·2/n·(x − t).

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

class MeanSquaredLoss final : public CpuKernel {
 public:
  explicit MeanSquaredLoss(const LocalLayer& layer)
      : share_(1 / static_cast<double>(layer.layer->input.elements())) {}

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& targets = cpu(call.inputs[1]);
    CpuTensor& y = cpu(call.output);
    targets.convert(x.layout().block);
    y.rewrite(1);
    for (std::int64_t n = 0; n < x.extents().samples; ++n) {
      const std::int64_t begin = n * x.layout().sample_stride();
      double sum = 0;
      for (std::int64_t i = begin; i < begin + x.layout().sample_stride(); ++i) {
        const double error = double{x.data()[i]} - double{targets.data()[i]};
        sum += error * error;
      }
      y.data()[n] = static_cast<float>(sum * share_);
    }
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& targets = cpu(call.inputs[1]);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    targets.convert(x.layout().block);
    if (&dx != &x) dx.rewrite(x.layout().block);
    const auto scale = static_cast<float>(2 * share_ * call.gradient_scale);
    for (std::int64_t i = 0; i < x.layout().stored(); ++i) {
      dx.data()[i] = scale * (x.data()[i] - targets.data()[i]);
    }
  }

 private:
  double share_;
};

}  // namespace

std::unique_ptr<Kernel> make_mean_squared_loss(Context&, const LocalLayer& layer) {
  return std::make_unique<MeanSquaredLoss>(layer);
}

}  // namespace oracle
