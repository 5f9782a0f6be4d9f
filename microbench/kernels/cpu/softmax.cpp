// Softmax inside a network: over the channels of a group at each position, or over the positions of
// each channel. It works on plain memory, where both are rows or columns; the products of
// activations beside it do as well.

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/shares.h"

namespace oracle {
namespace {

class Softmax final : public CpuKernel {
 public:
  explicit Softmax(const LocalLayer& layer) {
    const Extents& x = layer.inputs[0];
    const std::int64_t positions = x.depth * x.height * x.width;
    const bool over_positions = layer.layer->mixing == Mixing::channelwise;
    axis_ =
        over_positions ? ShareAxis{positions, 1} : ShareAxis{x.channels / layer.groups, positions};
    times_ = x.elements() / (axis_.count * axis_.inner);
  }

  void forward(const Call& call) override {
    CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    if (&x != &y) y.release();
    x.convert(1);
    if (&x != &y) y.rewrite(1);
    for (std::int64_t i = 0; i < times_; ++i) {
      to_shares(x.data() + i * step(), y.data() + i * step(), axis_);
    }
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    CpuTensor& y = cpu(call.output);
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    if (&dx != &dy) dx.release();
    y.convert(1);
    dy.convert(1);
    if (&dx != &dy) dx.rewrite(1);
    for (std::int64_t i = 0; i < times_; ++i) {
      through_shares(y.data() + i * step(), dy.data() + i * step(), dx.data() + i * step(), axis_);
    }
  }

 private:
  std::int64_t step() const { return axis_.count * axis_.inner; }

  ShareAxis axis_;
  std::int64_t times_ = 0;  ///< groups, or channels, of all samples
};

}  // namespace

std::unique_ptr<Kernel> make_softmax(Context&, const LocalLayer& layer) {
  return std::make_unique<Softmax>(layer);
}

}  // namespace oracle
