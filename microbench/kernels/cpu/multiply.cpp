// A product with a tensor of the same extents, or with a gate of one position: y = x·g. Along an
// axis where the gate has extent 1 it is used for all of x, and its gradient is a sum.

#include "microbench/kernels/cpu/arrays.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

/// The gate's values in x's block, without the wish to call one position plain.
StorageLayout layout_like(const StorageLayout& x, const Extents& gate) { return {gate, x.block}; }

class Multiply final : public CpuKernel {
 public:
  explicit Multiply(const LocalLayer& layer) : full_(layer.inputs[0] == layer.inputs[1]) {
    const Extents& gate = layer.inputs[1];
    const bool per_channel = gate.depth * gate.height * gate.width == 1 &&
                             gate.samples == layer.inputs[0].samples &&
                             gate.channels == layer.inputs[0].channels;
    if (!full_ && !per_channel) {
      throw InputError(layer.layer->name,
                       "the CPU back end multiplies tensors of one shape, or by a gate of a value "
                       "per channel or per position");
    }
  }

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& gate = cpu(call.inputs[1]);
    CpuTensor& y = cpu(call.output);
    gate.convert(x.layout().block);
    y.rewrite(x.layout().block);
    if (full_) {
      multiply(y.data(), x.data(), gate.data(), x.layout().stored());
    } else {
      by_gate(x, gate, y);
    }
  }

  void backward_data(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& gate = cpu(call.inputs[1]);
    CpuTensor& dy = cpu(call.output_gradient);
    gate.convert(x.layout().block);
    dy.convert(x.layout().block);
    if (Tensor* wanted = call.input_gradients[1]; wanted != nullptr) {
      CpuTensor& dgate = cpu(wanted);
      dgate.rewrite(x.layout().block);
      if (full_) {
        multiply(dgate.data(), dy.data(), x.data(), x.layout().stored());
      } else {
        sum_products(x, dy, dgate);
      }
    }
    if (Tensor* wanted = call.input_gradients[0]; wanted != nullptr) {
      CpuTensor& dx = cpu(wanted);
      if (&dx != &dy) dx.rewrite(x.layout().block);
      if (full_) {
        multiply(dx.data(), dy.data(), gate.data(), x.layout().stored());
      } else {
        by_gate(dy, gate, dx);
      }
    }
  }

 private:
  static void by_gate(const CpuTensor& x, const CpuTensor& gate, CpuTensor& y) {
    const StorageLayout gates = layout_like(x.layout(), gate.extents());
    if (x.layout().filled_up()) y.zero();
    for_each_run(x.layout(), [&](std::int64_t offset, std::int64_t count, std::int64_t sample,
                                 std::int64_t first, std::int64_t) {
      const float* factor = gate.data() + gates.offset(sample, first, 0);
      for (std::int64_t lane = 0; lane < count; ++lane) {
        y.data()[offset + lane] = x.data()[offset + lane] * factor[lane];
      }
    });
  }

  static void sum_products(const CpuTensor& x, const CpuTensor& dy, CpuTensor& dgate) {
    const StorageLayout gates = layout_like(x.layout(), dgate.extents());
    dgate.zero();
    for_each_run(x.layout(), [&](std::int64_t offset, std::int64_t count, std::int64_t sample,
                                 std::int64_t first, std::int64_t) {
      float* sum = dgate.data() + gates.offset(sample, first, 0);
      for (std::int64_t lane = 0; lane < count; ++lane) {
        sum[lane] += x.data()[offset + lane] * dy.data()[offset + lane];
      }
    });
  }

  bool full_;
};

}  // namespace

std::unique_ptr<Kernel> make_multiply(Context& context, const LocalLayer& layer) {
  Extents of_positions = layer.inputs[0];
  of_positions.channels = 1;
  const bool per_position = layer.inputs[1] == of_positions && layer.inputs[1] != layer.inputs[0];
  if (per_position) return make_position_gate(context, layer);
  return std::make_unique<Multiply>(layer);
}

}  // namespace oracle
