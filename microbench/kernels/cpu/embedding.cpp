// Rows of a trained table by the numbers of a text: y[p] = w[x[p]]. The numbers are whole, in fp32,
// and have no gradient; that of the table adds up dy in the rows that were read. Of a table in
// parts each rank gives zeros for rows that it does not have.

#include <cmath>
#include <string>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/kernels.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

/// A row that another rank has.
constexpr std::int64_t kElsewhere = -1;

class Embedding final : public CpuKernel {
 public:
  Embedding(Context& context, const LocalLayer& layer)
      : context_(context),
        name_(layer.layer->name),
        features_(layer.output.channels),
        entries_(layer.layer->weights.front().features_out),
        first_(layer.first_row),
        rows_(layer.rows > 0 ? layer.rows : entries_),
        block_(CpuTensor::first_block(context, layer.output)) {}

  void forward(const Call& call) override {
    const std::vector<std::int64_t> rows = rows_of(cpu(call.inputs[0]));
    CpuTensor& y = cpu(call.output);
    y.rewrite(block_);
    if (rows_ < entries_ || y.layout().filled_up()) y.zero();
    const float* table = cpu(call.weights).vector(0);
    visit(y.layout(), rows, [&](std::int64_t at, std::int64_t count, std::int64_t in_table) {
      std::memcpy(y.data() + at, table + in_table, static_cast<std::size_t>(count) * sizeof(float));
    });
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] != nullptr) cpu(call.input_gradients[0]).zero();
  }

  void backward_weights(const Call& call) override {
    const std::vector<std::int64_t> rows = rows_of(cpu(call.inputs[0]));
    const CpuTensor& dy = cpu(call.output_gradient);
    sum_gradient(context_, cpu(call.weights), rows_ * features_, [&](float* sums) {
      visit(dy.layout(), rows, [&](std::int64_t at, std::int64_t count, std::int64_t in_table) {
        for (std::int64_t i = 0; i < count; ++i) sums[in_table + i] += dy.data()[at + i];
      });
    });
  }

 private:
  /// Where the row of each sample and position begins.
  std::vector<std::int64_t> rows_of(CpuTensor& numbers) const {
    numbers.convert(1);
    std::vector<std::int64_t> rows;
    const std::int64_t count = numbers.layout().stored();
    rows.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      const float number = numbers.data()[i];
      if (!(number >= 0) || number >= static_cast<float>(entries_)) {
        throw InputError(name_,
                         "it reads " + std::to_string(number) + ", and its table has rows 0 to " +
                             std::to_string(entries_ - 1),
                         "train it on integers, as the generated samples are");
      }
      const std::int64_t row = std::lround(number) - first_;
      rows.push_back(row >= 0 && row < rows_ ? row * features_ : kElsewhere);
    }
    return rows;
  }

  /// Calls visit(offset, count, place in the table) for the values side by side.
  template <class Visit>
  static void visit(const StorageLayout& layout, const std::vector<std::int64_t>& rows,
                    Visit visit_values) {
    const std::int64_t positions = layout.positions();
    for_each_run(layout, [&](std::int64_t offset, std::int64_t count, std::int64_t sample,
                             std::int64_t first, std::int64_t position) {
      const std::int64_t row = rows[static_cast<std::size_t>(sample * positions + position)];
      if (row != kElsewhere) visit_values(offset, count, row + first);
    });
  }

  Context& context_;
  std::string name_;
  std::int64_t features_, entries_, first_, rows_, block_;
};

}  // namespace

std::unique_ptr<Kernel> make_embedding(Context& context, const LocalLayer& layer) {
  return std::make_unique<Embedding>(context, layer);
}

}  // namespace oracle
