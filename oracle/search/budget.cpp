#include "oracle/search/budget.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "oracle/base/error.h"
#include "oracle/budget/goodput.h"
#include "oracle/search/scale.h"

namespace oracle {
namespace {

/// Samples of one replica that are tried at most.
constexpr std::int64_t kMostPerReplica = 4096;
/// Between checkpoints.
constexpr double kMostSteps = 1e15;

/// No batch is larger than all that is trained on.
double most_samples(const TrainingLength& length) {
  if (length.counts_epochs()) return static_cast<double>(length.epoch_samples);
  const auto* fixed = std::get_if<double>(&length.amount);
  return fixed ? *fixed : std::numeric_limits<double>::infinity();
}

bool keeps_to_limits(const RunCost& cost, const BudgetRequest& request) {
  if (request.deadline && cost.time.time > *request.deadline) return false;
  return !request.purse || (cost.dollars && *cost.dollars <= *request.purse);
}

BudgetRun run_of(const Setting& setting, const BudgetRequest& request, const Strategy& strategy,
                 std::int64_t batch) {
  BudgetRun run;
  run.ranks = strategy.ranks();
  run.batch = batch;
  Training training = request.training;
  training.batch = batch;
  run.evaluation = evaluate(setting.graph, setting.cluster, setting.profile, strategy, training);
  run.data = data_at(request.length, batch);
  const Fits* fits = run.evaluation.fits();
  if (fits == nullptr) return run;
  run.busy = busy_share(*fits);
  Cost step = fits->step;
  double computes = run.busy;
  if (request.storage) {
    const auto costs = storage_costs(setting, run.evaluation, *request.storage);
    if (costs) run.input = costs->input;
    if (run.input) step = costs->step;
    computes *= fits->step.time / step.time;
  }
  if (request.failures) {
    run.checkpoints = checkpointing(*request.failures, run.ranks, step.time);
    step = step * (1 / run.checkpoints->goodput);
    computes *= run.checkpoints->goodput;
  }
  const double devices =
      static_cast<double>(run.ranks) / static_cast<double>(setting.cluster.ranks_per_device);
  run.cost = run_cost(steps_of(request.length, run.data, batch), step, run.data.uncertainty,
                      devices, computes, request.rates);
  run.allowed = keeps_to_limits(run.cost, request);
  return run;
}

double value_of(const BudgetRun& run, BudgetObjective objective) {
  switch (objective) {
    case BudgetObjective::time:
      return run.cost.time.time.value;
    case BudgetObjective::cost:
      return run.cost.device_hours;
    case BudgetObjective::energy:
      return run.cost.kilowatt_hours.value_or(run.cost.device_hours);
  }
  return 0;
}

/// Those that keep to the limits first, then by the objective; where none keeps to them, the
/// nearest to keeping: the fastest for a deadline, the cheapest for a purse.
bool better(const BudgetRun& a, const BudgetRun& b, BudgetObjective objective,
            const BudgetRequest& request) {
  if (a.fits() != b.fits()) return a.fits();
  if (a.allowed != b.allowed) return a.allowed;
  if (!a.allowed && request.deadline) objective = BudgetObjective::time;
  if (!a.allowed && !request.deadline && request.purse) objective = BudgetObjective::cost;
  return std::make_tuple(value_of(a, objective), a.ranks, a.batch) <
         std::make_tuple(value_of(b, objective), b.ranks, b.batch);
}

/// Larger batches need no less memory.
bool out_of_memory(const BudgetRun& run) {
  const Infeasible* refusal = run.evaluation.infeasible();
  return refusal != nullptr && refusal->constraint == Constraint::memory;
}

class Study {
 public:
  Study(const Setting& setting, const BudgetRequest& request)
      : setting_(setting), request_(request) {}

  void add_count(std::int64_t ranks) {
    const Strategy strategy = fill(request_.strategy, ranks);
    std::optional<BudgetRun> point;
    for (const std::int64_t batch : batches_of(strategy, request_)) {
      BudgetRun run = run_of(setting_, request_, strategy, batch);
      ++study_.tried;
      keep_best(run);
      const bool last = out_of_memory(run);
      if (!point || better(run, *point, request_.objective, request_)) point = std::move(run);
      if (last) break;
    }
    if (point) study_.points.push_back(std::move(*point));
  }

  BudgetStudy take() { return std::move(study_); }

 private:
  void keep_best(const BudgetRun& run) {
    if (!run.fits()) return;
    for (std::size_t o = 0; o < kBudgetObjectiveCount; ++o) {
      std::optional<BudgetRun>& best = study_.best[o];
      if (!best || better(run, *best, static_cast<BudgetObjective>(o), request_)) best = run;
    }
  }

  const Setting& setting_;
  const BudgetRequest& request_;
  BudgetStudy study_;
};

/// Below, a run would hardly end.
constexpr double kLeastGoodput = 0.01;

}  // namespace

double busy_share(const Fits& fits) {
  const Breakdown& parts = fits.timeline.breakdown;
  const double length = fits.timeline.length.value;
  const double share = (parts.forward + parts.backward + parts.update).value / length;
  return std::clamp(share, 0.0, 1.0);
}

Checkpointing checkpointing(const FailureRequest& request, std::int64_t ranks, Seconds step) {
  const double share = static_cast<double>(ranks) / static_cast<double>(request.ranks);
  const Reliability machine{request.mtbf / share, request.checkpoint, request.restart,
                            request.behind};
  Checkpointing result{machine.mtbf, request.every.value_or(1), 1};
  if (!request.every) {
    const double steps = std::min(daly_interval(machine) / step, kMostSteps);
    result.every = std::max<std::int64_t>(1, std::llround(steps));
  }
  result.goodput = goodput(machine, step * static_cast<double>(result.every));
  if (!(result.goodput >= kLeastGoodput)) {
    throw InputError("--mtbf",
                     "on " + std::to_string(ranks) +
                         " GPUs hardly a checkpoint is reached before "
                         "the next failure",
                     "give a longer one, a faster --checkpoint-rate or a shorter --restart");
  }
  return result;
}

std::string_view name_of(BudgetObjective objective) {
  constexpr std::array<std::string_view, kBudgetObjectiveCount> kNames = {"time", "cost", "energy"};
  return kNames[static_cast<std::size_t>(objective)];
}

std::vector<std::int64_t> batches_of(const Strategy& strategy, const BudgetRequest& request) {
  if (request.batch) return {*request.batch};
  if (request.batch_per_rank) return {*request.batch_per_rank * strategy.ranks()};
  const std::int64_t replicas = strategy.replicas();
  const double most = most_samples(request.length);
  std::vector<std::int64_t> batches;
  for (std::int64_t each = 1; each <= kMostPerReplica; each *= 2) {
    const std::int64_t batch = each * replicas;
    if (each > 1 && static_cast<double>(batch) > most) break;
    batches.push_back(batch);
  }
  return batches;
}

BudgetStudy budget(const Setting& setting, const BudgetRequest& request) {
  Study study(setting, request);
  const auto all = static_cast<std::int64_t>(request.counts.size());
  std::int64_t done = 0;
  for (const std::int64_t ranks : request.counts) {
    study.add_count(ranks);
    if (request.progress && !request.progress(++done, all)) break;
  }
  return study.take();
}

}  // namespace oracle
