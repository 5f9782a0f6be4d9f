// Each row times the matrix of its expert, by oneDNN. In plain memory positions lie innermost, so
// that the rows of an expert are a matrix X [channel, row] within the sample's, and those of
// experts of equally many rows a batch of such: Y = W·X, dX = Wᵀ·dY, dW = Σ dY·Xᵀ over the samples.

#include <optional>
#include <vector>

#include "microbench/kernels/cpu/batched_product.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/cpu_weights.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/weight_format.h"
#include "microbench/kernels/routing.h"

namespace oracle {
namespace {

struct BoundRun {
  ExpertRun of;
  std::optional<BatchedProduct> forward, data, weights, more_weights;
};

class ExpertDense final : public CpuKernel {
 public:
  ExpertDense(Context& context, const LocalLayer& layer)
      : context_(context),
        weight_(plain_weight(layer, 0)),
        channels_(layer.inputs[0].channels),
        features_(layer.output.channels),
        rows_(layer.output.width),
        samples_(layer.output.samples) {
    for (const ExpertRun& run : expert_runs(layer)) {
      if (run.rows > 0) runs_.push_back({run, {}, {}, {}, {}});
      idle_ = idle_ || run.rows == 0;
    }
  }

  void forward(const Call& call) override {
    cpu(call.output).release();
    float* x = plain_floats(call.inputs[0]);
    float* y = fresh_floats(call.output);
    const float* w = cpu(call.weights).vector(0);
    for (BoundRun& run : runs_) {
      if (!run.forward) run.forward.emplace(context_, matrices(run), rows_in(run), rows_out(run));
      for (std::int64_t n = 0; n < samples_; ++n) {
        run.forward->run(context_, w + at_matrix(run), x + at_row(run, n, channels_),
                         y + at_row(run, n, features_));
      }
    }
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    cpu(call.input_gradients[0]).release();
    float* dy = plain_floats(call.output_gradient);
    float* dx = fresh_floats(call.input_gradients[0]);
    const float* w = cpu(call.weights).vector(0);
    for (BoundRun& run : runs_) {
      if (!run.data) {
        run.data.emplace(context_, matrices(run).turned(), rows_out(run), rows_in(run));
      }
      for (std::int64_t n = 0; n < samples_; ++n) {
        run.data->run(context_, w + at_matrix(run), dy + at_row(run, n, features_),
                      dx + at_row(run, n, channels_));
      }
    }
  }

  void backward_weights(const Call& call) override {
    float* x = plain_floats(call.inputs[0]);
    float* dy = plain_floats(call.output_gradient);
    GradientWriter gradient(context_, cpu(call.weights), 0, weight_);
    if (idle_) std::fill_n(gradient.data(), weight_.get_size() / sizeof(float), 0.0F);
    for (BoundRun& run : runs_) {
      if (!run.weights) bind_weights(run);
      for (std::int64_t n = 0; n < samples_; ++n) {
        (n == 0 ? run.weights : run.more_weights)
            ->run(context_, dy + at_row(run, n, features_), x + at_row(run, n, channels_),
                  gradient.data() + at_matrix(run));
      }
    }
    gradient.commit();
  }

 private:
  void bind_weights(BoundRun& run) const {
    const Matrices dy = rows_out(run), x = rows_in(run).turned(), w = matrices(run);
    run.weights.emplace(context_, dy, x, w);
    run.more_weights.emplace(context_, dy, x, w, true);
  }

  Matrices matrices(const BoundRun& run) const {
    return {run.of.experts, features_, channels_, features_ * channels_, channels_, 1};
  }
  Matrices rows_in(const BoundRun& run) const {
    return {run.of.experts, channels_, run.of.rows, run.of.rows, rows_, 1};
  }
  Matrices rows_out(const BoundRun& run) const {
    return {run.of.experts, features_, run.of.rows, run.of.rows, rows_, 1};
  }
  std::int64_t at_matrix(const BoundRun& run) const { return run.of.first * features_ * channels_; }
  std::int64_t at_row(const BoundRun& run, std::int64_t sample, std::int64_t channels) const {
    return sample * channels * rows_ + run.of.begin;
  }

  Context& context_;
  dnnl::memory::desc weight_;
  std::int64_t channels_, features_, rows_, samples_;
  std::vector<BoundRun> runs_;
  bool idle_ = false;  ///< whether an expert has no rows
};

}  // namespace

std::unique_ptr<Kernel> make_expert_dense(Context& context, const LocalLayer& layer) {
  return std::make_unique<ExpertDense>(context, layer);
}

}  // namespace oracle
