#include "oracle/evaluate/measured_pace.h"

#include <cmath>

#include "oracle/base/error.h"
#include "oracle/cost/uncertainty.h"
#include "oracle/plan/infeasible.h"

namespace oracle {
namespace {

/// Of log factors: a step that was measured is not known better.
constexpr double kTolerance = 1e-4;
constexpr int kMostTries = 40;

/// log(predicted / measured) where kernels take exp(`log_factor`) times as long.
class Miss {
 public:
  Miss(const Setting& setting, const MeasuredRun& run)
      : setting_(setting), run_(run), cluster_(setting.cluster) {}

  double operator()(double log_factor) {
    cluster_.pace.factor = setting_.cluster.pace.factor * std::exp(log_factor);
    const Evaluation evaluation =
        evaluate(setting_.graph, cluster_, setting_.profile, run_.strategy, run_.training);
    // Memory sufficed where it was measured.
    const Fits* fits = evaluation.timed();
    if (fits != nullptr) return std::log(fits->step.time / run_.step);
    throw InputError("strategy", to_text(*evaluation.infeasible()),
                     "write the strategy that was measured");
  }

 private:
  const Setting& setting_;
  const MeasuredRun& run_;
  Cluster cluster_;
};

}  // namespace

std::optional<double> factor_of_kernels(const Setting& setting, const MeasuredRun& run) {
  Miss miss(setting, run);
  const double most =
      std::log1p(kernel_uncertainty(setting.cluster, run.training.precision.compute));
  double low = -most, high = most;
  double below = miss(low), above = miss(high);
  if (below > 0 || above < 0 || below == above) return std::nullopt;
  // False position, which halves the end that stays (Illinois).
  int side = 0;
  for (int i = 0; i < kMostTries && high - low > kTolerance; ++i) {
    const double at = low + (high - low) * below / (below - above);
    const double found = miss(at);
    if (std::abs(found) < kTolerance) return std::exp(at);
    if (found < 0) {
      low = at;
      below = found;
      if (side == -1) above /= 2;
      side = -1;
    } else {
      high = at;
      above = found;
      if (side == 1) below /= 2;
      side = 1;
    }
  }
  return std::exp((low + high) / 2);
}

}  // namespace oracle
