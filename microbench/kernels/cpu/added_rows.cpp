// A row of a trained table added at each position, y[p] = x[p] + w[p], p the position in the whole
// text, or of segments the first row at all of them; its gradient adds up dy of all samples.

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

/// Rows lie by feature: w[c, row].
class AddedRows final : public CpuKernel {
 public:
  AddedRows(Context& context, const LocalLayer& layer)
      : context_(context),
        rows_(layer.layer->weights.front().elements / layer.layer->input.channels()),
        elements_(rows_ * layer.output.channels),
        layer_(layer),
        segments_(layer.layer->variant == "segment") {}

  void forward(const Call& call) override {
    CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    if (&x != &y) y.copy_of(x);
    const float* table = cpu(call.weights).vector(0);
    visit(y.layout(),
          [&](std::int64_t at, std::int64_t in_table) { y.data()[at] += table[in_table]; });
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    if (&dx != &dy) dx.copy_of(dy);
  }

  void backward_weights(const Call& call) override {
    const CpuTensor& dy = cpu(call.output_gradient);
    sum_gradient(context_, cpu(call.weights), elements_, [&](float* sums) {
      visit(dy.layout(),
            [&](std::int64_t at, std::int64_t in_table) { sums[in_table] += dy.data()[at]; });
    });
  }

 private:
  /// Calls visit(offset in the tensor, place in the table).
  template <class Visit>
  void visit(const StorageLayout& layout, Visit visit_value) const {
    for_each_run(layout, [&](std::int64_t offset, std::int64_t count, std::int64_t,
                             std::int64_t channel, std::int64_t position) {
      const std::int64_t row = segments_ ? 0 : layer_.position(position);
      for (std::int64_t lane = 0; lane < count; ++lane) {
        visit_value(offset + lane, (channel + lane) * rows_ + row);
      }
    });
  }

  Context& context_;
  std::int64_t rows_, elements_;
  LocalLayer layer_;
  bool segments_;
};

}  // namespace

std::unique_ptr<Kernel> make_added_rows(Context& context, const LocalLayer& layer) {
  return std::make_unique<AddedRows>(context, layer);
}

}  // namespace oracle
