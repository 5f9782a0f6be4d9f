// Cross entropy of a softmax over classes of which a rank has a part, as those of a vocabulary.
// With the largest score m, the sum Σ exp(x − m) and the target's score of each position over all
// ranks,
//   L = log Σ exp(x − m) + m − x[t],   dx = (exp(x − log Σ exp(x − m) − m) − 1_t)·gradient_scale.
// A position's loss is that of the rank that has its target. Megatron-LM, arXiv 1909.08053,
// section 3.

#include <algorithm>
#include <cmath>
#include <vector>

#include "microbench/kernels/cpu/channel_values.h"
#include "microbench/kernels/cpu/class_at.h"
#include "microbench/kernels/cpu/kernels.h"

namespace oracle {
namespace {

/// log Σ exp(x) over all classes, by sample and position, in double precision.
struct LogTotals final : Saved {
  MemoryBlock values;

  double* begin() const { return static_cast<double*>(values.data()); }
};

class SoftmaxLossPart final : public CpuKernel {
 public:
  SoftmaxLossPart(Context& context, const LocalLayer& layer)
      : context_(context), layer_(layer.layer), first_(layer.first_row), classes_(layer.rows) {}

  std::unique_ptr<Saved> saved() const override { return std::make_unique<LogTotals>(); }

  std::vector<float> statistics(const Call& call, Pass) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    const auto points = static_cast<std::size_t>(x.extents().samples * x.layout().positions());
    const float* known = call.statistics == nullptr ? nullptr : call.statistics->sums.data();
    const std::size_t rounds = known == nullptr ? 0 : call.statistics->sums.size() / points;
    if (rounds == 0) return largest(x, points);
    if (rounds == 1) return exponentials(x, known, points);
    return scores_of_targets(x, cpu(call.inputs[1]), points);
  }

  void forward(const Call& call) override {
    const CpuTensor &x = cpu(call.inputs[0]), &targets = cpu(call.inputs[1]);
    CpuTensor& y = cpu(call.output);
    y.rewrite(1);
    ensure(call.statistics != nullptr, "a loss over classes in parts has what other ranks know");
    const std::int64_t positions = x.layout().positions();
    const std::int64_t points = x.extents().samples * positions;
    const float* numbers = call.statistics->sums.data();
    double* totals = place_totals(call, points);
    for (std::int64_t n = 0; n < x.extents().samples; ++n) {
      double loss = 0;
      for (std::int64_t p = 0; p < positions; ++p) {
        const std::int64_t i = n * positions + p;
        totals[i] = std::log(double{numbers[points + i]}) + double{numbers[i]};
        if (is_here(targets, n, p)) loss += totals[i] - double{numbers[2 * points + i]};
      }
      y.data()[n] = static_cast<float>(loss);
    }
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const CpuTensor &x = cpu(call.inputs[0]), &targets = cpu(call.inputs[1]);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    if (&dx != &x) dx.rewrite(x.layout().block);
    if (&dx != &x && x.layout().filled_up()) dx.zero();
    const double* totals = totals_of(call).begin();
    const std::int64_t positions = x.layout().positions();
    for (std::int64_t n = 0; n < x.extents().samples; ++n, totals += positions) {
      for (std::int64_t c = 0; c < classes_; ++c) {
        const ChannelValues from = channel_of(x, n, c), to = channel_of(dx, n, c);
        for (std::int64_t p = 0; p < positions; ++p) {
          const double share = std::exp(double{from.at(p)} - totals[p]);
          to.at(p) = static_cast<float>(share * call.gradient_scale);
        }
      }
      for (std::int64_t p = 0; p < positions; ++p) {
        if (!is_here(targets, n, p)) continue;
        channel_of(dx, n, target(targets, n, p)).at(p) -= static_cast<float>(call.gradient_scale);
      }
    }
  }

 private:
  /// Among this rank's classes.
  std::int64_t target(const CpuTensor& targets, std::int64_t n, std::int64_t p) const {
    return class_at(targets, n, p, *layer_) - first_;
  }
  bool is_here(const CpuTensor& targets, std::int64_t n, std::int64_t p) const {
    const std::int64_t own = target(targets, n, p);
    return own >= 0 && own < classes_;
  }

  /// Calls visit(score, sample and position) for every score.
  template <class Visit>
  void for_each_score(const CpuTensor& x, Visit visit) const {
    const std::int64_t positions = x.layout().positions();
    for (std::int64_t n = 0; n < x.extents().samples; ++n) {
      for (std::int64_t c = 0; c < classes_; ++c) {
        const ChannelValues from = channel_of(x, n, c);
        for (std::int64_t p = 0; p < positions; ++p) {
          visit(from.at(p), static_cast<std::size_t>(n * positions + p));
        }
      }
    }
  }

  std::vector<float> largest(const CpuTensor& x, std::size_t points) const {
    std::vector<float> most(points, -INFINITY);
    for_each_score(x, [&](float score, std::size_t i) { most[i] = std::max(most[i], score); });
    return most;
  }

  std::vector<float> exponentials(const CpuTensor& x, const float* most, std::size_t points) const {
    std::vector<double> sums(points, 0);
    for_each_score(x, [&](float score, std::size_t i) {
      sums[i] += std::exp(double{score} - double{most[i]});
    });
    return {sums.begin(), sums.end()};
  }

  std::vector<float> scores_of_targets(const CpuTensor& x, const CpuTensor& targets,
                                       std::size_t points) const {
    std::vector<float> scores(points, 0);
    const std::int64_t positions = x.layout().positions();
    for (std::int64_t n = 0; n < x.extents().samples; ++n) {
      for (std::int64_t p = 0; p < positions; ++p) {
        if (!is_here(targets, n, p)) continue;
        scores[static_cast<std::size_t>(n * positions + p)] =
            channel_of(x, n, target(targets, n, p)).at(p);
      }
    }
    return scores;
  }

  static LogTotals& totals_of(const Call& call) {
    auto* totals = dynamic_cast<LogTotals*>(call.saved);
    ensure(totals != nullptr, "a loss over classes in parts runs without a place for its sums");
    return *totals;
  }

  double* place_totals(const Call& call, std::int64_t points) {
    MemoryBlock& values = totals_of(call).values;
    const std::int64_t bytes = points * static_cast<std::int64_t>(sizeof(double));
    if (values.bytes() != bytes) {
      values = MemoryBlock();
      values = context_.allocator().allocate(bytes);
    }
    return totals_of(call).begin();
  }

  Context& context_;
  const Layer* layer_;
  std::int64_t first_, classes_;  ///< of this rank
};

}  // namespace

std::unique_ptr<Kernel> make_softmax_loss_part(Context& context, const LocalLayer& layer) {
  return std::make_unique<SoftmaxLossPart>(context, layer);
}

}  // namespace oracle
