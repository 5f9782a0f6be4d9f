#include <utility>

#include "oracle/evaluate/details.h"
#include "oracle/evaluate/evaluation.h"
#include "oracle/evaluate/family.h"

namespace oracle {
namespace {

std::vector<StageTotals> stage_totals(const Family& family, const Fits& fits) {
  std::vector<StageTotals> stages;
  const Plan& plan = family.plan();
  const auto micro_batches = static_cast<double>(plan.strategy.micro_batches);
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const StageTimes& times = family.scheduler().times()[s];
    stages.push_back({plan.stages[s].first, plan.stages[s].last, fits.timeline.stages[s],
                      (times.to_next + times.from_next) * micro_batches,
                      family.memory_of(s).total()});
  }
  return stages;
}

void add_details(const Setting& setting, const Family& family, Fits& fits) {
  const Plan& plan = family.plan();
  add_events(plan, family.scheduler(), fits.timeline);
  fits.layers = layer_times(setting, plan, family.prices(), fits.timeline);
  fits.transfers = transfer_times(setting, plan, fits.timeline);
  fits.stages = stage_totals(family, fits);
  fits.bottleneck_text = describe_bottleneck(setting, plan, fits);
}

}  // namespace

Evaluation evaluate(const Graph& graph, const Cluster& cluster, const Profile& profile,
                    const Strategy& strategy, const Training& training, Detail detail) {
  require_exchange(strategy.exchange);
  const Setting setting{graph, cluster, profile};
  Family family(setting, detail == Detail::events ? Twins::whole : Twins::bare);
  Evaluation evaluation;
  evaluation.strategy = strategy;
  evaluation.training = training;
  evaluation.ranks = strategy.ranks();
  if (const Infeasible* refusal = family.plan(strategy, training)) {
    evaluation.result = *refusal;
    return evaluation;
  }
  family.measure({&strategy.schedule, 1});
  Fits fits = family.step();
  if (!family.fits()) {
    evaluation.result = family.out_of_memory();
    evaluation.beyond = std::move(fits);
    return evaluation;
  }
  if (detail == Detail::events) add_details(setting, family, fits);
  evaluation.result = std::move(fits);
  evaluation.strategy = family.plan().strategy;
  if (detail == Detail::events) {
    evaluation.assumptions = list_assumptions(setting, family.plan());
    evaluation.plan = family.plan();
  }
  return evaluation;
}

}  // namespace oracle
