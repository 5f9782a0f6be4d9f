#include "oracle/search/trial_study.h"

#include <algorithm>
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

/// The place of the first time that none undercuts; none: no trial fits.
std::optional<std::size_t> fastest(const std::vector<std::optional<Seconds>>& times) {
  std::optional<std::size_t> best;
  for (std::size_t p = 0; p < times.size(); ++p) {
    if (times[p] && (!best || *times[p] < *times[*best] * (1 - kSame))) best = p;
  }
  return best;
}

/// By point, of so many trials.
std::vector<std::optional<Seconds>> times_of(const TrialRequest& request,
                                             const std::vector<TrialPoint>& points,
                                             std::int64_t trials) {
  TrialSearch search = request.search;
  search.trials = trials;
  const bool known = trials == request.search.trials;
  std::vector<std::optional<Seconds>> times;
  for (const TrialPoint& point : points) {
    times.emplace_back();
    if (!point.fits()) continue;
    const TrialTimes each{point.alone.time, request.start};
    times.back() = (known ? point.courses : courses_of(search, point.places, each)).mean.makespan;
  }
  return times;
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
  for (std::int64_t trials = 1;; trials = std::min(2 * trials, request.search.trials)) {
    const auto times = times_of(request, study.points, trials);
    study.best = fastest(times);
    if (!study.best) break;
    study.by_trials.push_back({trials, study.points[*study.best].ranks, *times[*study.best]});
    if (trials == request.search.trials) break;
  }
  return study;
}

}  // namespace oracle
