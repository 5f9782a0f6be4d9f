// What experts made of a token, joined: y[t] = Σ s[e, t]·x[r] over the rows r of t, e the expert of
// r; dx[r] = s·dy[t], ds[e, t] = dy[t]·x[r]. Which rows are a token's follows from the scores
// again.

#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/routed.h"
#include "microbench/kernels/routing.h"
#include "oracle/graph/expert_rows.h"

namespace oracle {
namespace {

/// A row that a token has, with its score.
struct WeightedRow {
  std::int64_t row = 0, token = 0, expert = 0;
  float score = 0;
};

class Combine final : public CpuKernel {
 public:
  Combine(Context& context, const LocalLayer& layer)
      : routing_(routing_of(layer)),
        channels_(layer.output.channels),
        block_(CpuTensor::first_block(context, layer.output)) {}

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    y.rewrite(block_);
    y.zero();
    for (std::int64_t n = 0; n < y.extents().samples; ++n) {
      const std::vector<WeightedRow> rows = rows_of(cpu(call.inputs[1]), n);
      for (std::int64_t c = 0; c < channels_; ++c) {
        const ChannelValues from = channel_of(x, n, c), to = channel_of(y, n, c);
        for (const WeightedRow& of : rows) to.at(of.token) += of.score * from.at(of.row);
      }
    }
  }

  void backward_data(const Call& call) override {
    CpuTensor* dx = fresh(call.input_gradients[0]);
    CpuTensor* ds = fresh(call.input_gradients[1]);
    for (std::int64_t n = 0; n < cpu(call.inputs[0]).extents().samples; ++n) {
      const std::vector<WeightedRow> rows = rows_of(cpu(call.inputs[1]), n);
      if (dx != nullptr) to_rows(cpu(call.output_gradient), rows, n, *dx);
      if (ds != nullptr) to_scores(call, rows, n, *ds);
    }
  }

 private:
  std::vector<WeightedRow> rows_of(const CpuTensor& tensor, std::int64_t sample) const {
    const std::vector<float> scores = scores_of(tensor, sample);
    const std::vector<std::int32_t> tokens = tokens_of_rows(routing_, scores);
    std::vector<WeightedRow> rows;
    for (std::int64_t e = 0; e < routing_.experts; ++e) {
      const std::int64_t end = first_row_of(e + 1, routing_.rows, routing_.experts);
      for (std::int64_t r = first_row_of(e, routing_.rows, routing_.experts); r < end; ++r) {
        const std::int32_t token = tokens[static_cast<std::size_t>(r)];
        if (token == kNoToken) continue;
        rows.push_back(
            {r, token, e, scores[static_cast<std::size_t>(e * routing_.tokens + token)]});
      }
    }
    return rows;
  }

  void to_rows(const CpuTensor& dy, const std::vector<WeightedRow>& rows, std::int64_t sample,
               CpuTensor& dx) const {
    for (std::int64_t c = 0; c < channels_; ++c) {
      const ChannelValues from = channel_of(dy, sample, c), to = channel_of(dx, sample, c);
      for (const WeightedRow& of : rows) to.at(of.row) = of.score * from.at(of.token);
    }
  }

  void to_scores(const Call& call, const std::vector<WeightedRow>& rows, std::int64_t sample,
                 CpuTensor& ds) const {
    std::vector<double> sums(rows.size(), 0);
    for (std::int64_t c = 0; c < channels_; ++c) {
      const ChannelValues dy = channel_of(cpu(call.output_gradient), sample, c),
                          x = channel_of(cpu(call.inputs[0]), sample, c);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        sums[i] += double{dy.at(rows[i].token)} * double{x.at(rows[i].row)};
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      channel_of(ds, sample, rows[i].expert).at(rows[i].token) = static_cast<float>(sums[i]);
    }
  }

  static CpuTensor* fresh(Tensor* tensor) {
    if (tensor == nullptr) return nullptr;
    cpu(tensor).rewrite(1);
    cpu(tensor).zero();
    return &cpu(tensor);
  }

  Routing routing_;
  std::int64_t channels_, block_;
};

}  // namespace

std::unique_ptr<Kernel> make_combine(Context& context, const LocalLayer& layer) {
  return std::make_unique<Combine>(context, layer);
}

}  // namespace oracle
