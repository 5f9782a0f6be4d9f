#include "oracle/search/trial_study.h"

#include <cmath>

#include "oracle/search/budget.h"
#include "oracle/search/scale.h"

namespace oracle {
namespace {

/// What differs by less is the same.
constexpr double kSame = 1e-9;

TrialPoint point_of(const Setting& setting, const TrialRequest& request, std::int64_t ranks) {
  TrialPoint point;
  point.ranks = ranks;
  point.places = request.ranks / ranks;
  point.batch = request.batch ? *request.batch : *request.batch_per_rank * ranks;
  Training training = request.training;
  training.batch = point.batch;
  point.evaluation = evaluate(setting.graph, setting.cluster, setting.profile,
                              fill(request.strategy, ranks), training);
  const Fits* fits = point.evaluation.fits();
  if (fits == nullptr) return point;
  const DataToTarget data = data_at(request.length, point.batch);
  const std::int64_t steps = steps_of(request.length, data, point.batch);
  point.alone = fits->step * static_cast<double>(steps);
  point.alone.uncertainty = std::hypot(fits->step.uncertainty, data.uncertainty);
  point.courses = courses_of(request.search, point.places, {point.alone.time, request.start});
  Cost whole = point.alone;
  whole.time = point.courses.mean.makespan;
  whole.uncertainty = std::hypot(point.alone.uncertainty, point.courses.spread);
  const double devices =
      static_cast<double>(request.ranks) / static_cast<double>(setting.cluster.ranks_per_device);
  const double used =
      static_cast<double>(point.places * ranks) / static_cast<double>(request.ranks);
  point.cost = run_cost(1, whole, 0, devices, point.courses.mean.busy * used * busy_share(*fits),
                        request.rates);
  point.cost.parts.step = fits->step.uncertainty;
  point.cost.parts.data = data.uncertainty;
  return point;
}

/// The place of the first whose time none undercuts.
template <typename Time>
std::optional<std::size_t> fastest(const std::vector<TrialPoint>& points, const Time& time) {
  std::optional<std::size_t> best;
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (!points[p].fits()) continue;
    if (!best || time(points[p]) < time(points[*best]) * (1 - kSame)) best = p;
  }
  return best;
}

void add_turn(const TrialRequest& request, std::int64_t trials, TrialStudy& study) {
  TrialSearch search = request.search;
  search.trials = trials;
  const auto time = [&](const TrialPoint& point) {
    return courses_of(search, point.places, {point.alone.time, request.start}).mean.makespan;
  };
  const auto best = fastest(study.points, time);
  if (!best) return;
  study.by_trials.push_back({trials, study.points[*best].ranks, time(study.points[*best])});
}

}  // namespace

TrialStudy study_trials(const Setting& setting, const TrialRequest& request) {
  TrialStudy study;
  const auto all = static_cast<std::int64_t>(request.per_trial.size());
  std::int64_t done = 0;
  for (const std::int64_t ranks : request.per_trial) {
    study.points.push_back(point_of(setting, request, ranks));
    if (request.progress && !request.progress(++done, all)) break;
  }
  study.best = fastest(study.points, [](const TrialPoint& point) { return point.cost.time.time; });
  for (std::int64_t trials = 1; trials < request.search.trials; trials *= 2) {
    add_turn(request, trials, study);
  }
  add_turn(request, request.search.trials, study);
  return study;
}

}  // namespace oracle
