// Trained rows before the first position, y = [w; x]; their gradient adds up dy of all samples.
// Rows lie by feature: w[c, row].

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

class PrependedRows final : public CpuKernel {
 public:
  PrependedRows(Context& context, const LocalLayer& layer)
      : context_(context),
        rows_(layer.output.width - layer.inputs[0].width),
        elements_(rows_ * layer.output.channels),
        block_(CpuTensor::first_block(context, layer.inputs[0])) {}

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    block_ = x.layout().block;
    y.rewrite(block_);
    if (y.layout().filled_up()) y.zero();
    const float* table = cpu(call.weights).vector(0);
    visit(
        y.layout(), x.layout(),
        [&](std::int64_t at, std::int64_t in_input) { y.data()[at] = x.data()[in_input]; },
        [&](std::int64_t at, std::int64_t in_table) { y.data()[at] = table[in_table]; });
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    dx.rewrite(block_);
    if (dx.layout().filled_up()) dx.zero();
    visit(
        dy.layout(), dx.layout(),
        [&](std::int64_t at, std::int64_t in_input) { dx.data()[in_input] = dy.data()[at]; },
        [](std::int64_t, std::int64_t) {});
  }

  void backward_weights(const Call& call) override {
    const CpuTensor& dy = cpu(call.output_gradient);
    sum_gradient(context_, cpu(call.weights), elements_, [&](float* sums) {
      visit(
          dy.layout(), dy.layout(), [](std::int64_t, std::int64_t) {},
          [&](std::int64_t at, std::int64_t in_table) { sums[in_table] += dy.data()[at]; });
    });
  }

 private:
  /// Calls moved(offset in the output, offset in the input) and added(offset in the output, place
  /// in the rows).
  template <class Moved, class Added>
  void visit(const StorageLayout& output, const StorageLayout& input, Moved moved,
             Added added) const {
    for_each_run(output, [&](std::int64_t offset, std::int64_t count, std::int64_t sample,
                             std::int64_t channel, std::int64_t position) {
      for (std::int64_t lane = 0; lane < count; ++lane) {
        const std::int64_t of = channel + lane;
        if (position < rows_) {
          added(offset + lane, of * rows_ + position);
        } else {
          moved(offset + lane, input.offset(sample, of, position - rows_));
        }
      }
    });
  }

  Context& context_;
  std::int64_t rows_, elements_;
  std::int64_t block_;  ///< of the input in the last forward pass
};

}  // namespace

std::unique_ptr<Kernel> make_prepended_rows(Context& context, const LocalLayer& layer) {
  return std::make_unique<PrependedRows>(context, layer);
}

}  // namespace oracle
