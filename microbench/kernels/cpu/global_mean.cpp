// A mean over all positions of the network. A piece sums its own positions and divides by the whole
// layer's, so that the pieces' outputs add up to the mean.

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

class GlobalMean final : public CpuKernel {
 public:
  GlobalMean(Context& context, const LocalLayer& layer)
      : share_(1.0F / static_cast<float>(layer.layer->window.volume())),
        block_(CpuTensor::first_block(context, layer.inputs[0])) {}

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    block_ = x.layout().block;
    y.rewrite(block_);
    y.zero();
    const StorageLayout to{y.extents(), block_};
    float* means = y.data();
    const float* values = x.data();
    const float share = share_;
    for_each_run(x.layout(), [&](std::int64_t offset, std::int64_t count, std::int64_t sample,
                                 std::int64_t first, std::int64_t) {
      float* mean = means + to.offset(sample, first, 0);
      for (std::int64_t lane = 0; lane < count; ++lane) mean[lane] += share * values[offset + lane];
    });
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    dy.convert(block_);
    dx.rewrite(block_);
    if (dx.layout().filled_up()) dx.zero();
    const StorageLayout from{dy.extents(), dx.layout().block};
    const float* gradients = dy.data();
    float* values = dx.data();
    const float share = share_;
    for_each_run(dx.layout(), [&](std::int64_t offset, std::int64_t count, std::int64_t sample,
                                  std::int64_t first, std::int64_t) {
      const float* gradient = gradients + from.offset(sample, first, 0);
      for (std::int64_t lane = 0; lane < count; ++lane) {
        values[offset + lane] = share * gradient[lane];
      }
    });
  }

 private:
  float share_;
  std::int64_t block_;  ///< of the input in the last forward pass
};

}  // namespace

std::unique_ptr<Kernel> make_global_mean(Context& context, const LocalLayer& layer) {
  return std::make_unique<GlobalMean>(context, layer);
}

}  // namespace oracle
