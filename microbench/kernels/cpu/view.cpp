// Layers that only look at their input again: flatten, reshape, and a pool that pools nothing.
// Other channels order the values by channel and position, so blocks of several positions are
// reordered, both ways; where the channels stay it is a copy, and none where input and output are
// one tensor.

#include <cstring>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/format.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

class View final : public CpuKernel {
 public:
  View(Context& context, const LocalLayer& layer)
      : context_(context),
        keeps_channels_(layer.inputs[0].channels == layer.output.channels),
        block_(CpuTensor::first_block(context, layer.inputs[0])) {}

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    block_ = x.layout().block;
    if (keeps_channels_) {
      y.copy_of(x);
      return;
    }
    y.rewrite(1);
    move(x.layout(), x.data(), StorageLayout{x.extents(), 1}, y.data());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    if (keeps_channels_) {
      dx.copy_of(dy);
      return;
    }
    dy.convert(1);
    dx.rewrite(block_);
    move(StorageLayout{dx.extents(), 1}, dy.data(), dx.layout(), dx.data());
  }

 private:
  void move(const StorageLayout& from, float* values, const StorageLayout& to, float* target) {
    if (from == to) {
      std::memcpy(target, values, static_cast<std::size_t>(to.stored()) * sizeof(float));
      return;
    }
    context_.reorder(context_.memory(describe_flat(from), values),
                     context_.memory(describe_flat(to), target));
  }

  Context& context_;
  bool keeps_channels_;
  std::int64_t block_;  ///< of the input in the last forward pass
};

}  // namespace

std::unique_ptr<Kernel> make_view(Context& context, const LocalLayer& layer) {
  return std::make_unique<View>(context, layer);
}

}  // namespace oracle
