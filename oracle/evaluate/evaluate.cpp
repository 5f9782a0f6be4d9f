#include "oracle/evaluate/details.h"
#include "oracle/evaluate/evaluation.h"

namespace oracle {
namespace {

/// Busy time of the slowest stage over the whole step, by kind of evidence.
CostSum busy_time(const Plan& plan, const Prices& prices, std::uint32_t stage_index) {
  const Stage& stage = plan.stages[stage_index];
  const auto micro_batches = static_cast<double>(plan.strategy.micro_batches);
  CostSum sum;
  for (std::size_t i = 0; i < stage.items.size(); ++i) {
    const Phase phase = stage.items[i].phase;
    const bool once = phase == Phase::exchange || phase == Phase::update;
    sum.add(prices.stages[stage_index].items[i] * (once ? 1 : micro_batches));
  }
  return sum;
}

Infeasible out_of_memory(const Footprint& memory, const Plan& plan) {
  std::size_t largest = 0;
  for (std::size_t use = 1; use < kMemoryUseCount; ++use) {
    if (memory.bytes[use] > memory.bytes[largest]) largest = use;
  }
  const auto use = static_cast<MemoryUse>(largest);
  const bool activations = use == MemoryUse::activations || use == MemoryUse::activation_gradients;
  std::string remedy = std::string("most of it is ") + std::string(name_of(use)) + ": ";
  if (activations && plan.stages.size() > 1) {
    remedy += "lower the batch, use more micro-batches with the 1f1b schedule, or cut activations";
  } else if (activations) {
    remedy += "lower the batch per rank, or cut activations over more ranks (spatial, filter)";
  } else {
    remedy += "cut the weights over more ranks (filter, channel, tensor, pipeline)";
  }
  return {Constraint::memory, "device memory", memory.total().value, memory.available.value, "B",
          std::move(remedy)};
}

Fits price_and_schedule(const Setting& setting, const Plan& plan, const Footprint& memory,
                        Detail detail) {
  const Prices prices = price(setting.graph, plan, setting.cluster, setting.profile);
  Fits fits;
  fits.memory = memory;
  fits.timeline = schedule(plan, prices, setting.profile, detail);
  const CostSum busy = busy_time(plan, prices, fits.timeline.slowest_stage);
  fits.step = busy.total();
  fits.step.time = fits.timeline.length;
  for (std::size_t s = 0; s < kSourceCount; ++s) {
    fits.time_by_source[s] = busy.time_of(static_cast<Source>(s));
  }
  fits.samples_per_second = static_cast<double>(plan.training.batch) / fits.timeline.length.value;
  fits.bottleneck = find_bottleneck(setting, plan, fits.timeline);
  if (detail == Detail::events) {
    fits.layers = layer_times(setting, plan, prices);
    fits.transfers = transfer_times(setting, plan, fits.timeline);
    fits.bottleneck_text = describe_bottleneck(setting, plan, fits);
  }
  return fits;
}

}  // namespace

Evaluation evaluate(const Graph& graph, const Cluster& cluster, const Profile& profile,
                    const Strategy& strategy, const Training& training, Detail detail) {
  require_algorithm(Collective::all_reduce, strategy.exchange);
  Evaluation evaluation;
  evaluation.strategy = strategy;
  evaluation.training = training;
  evaluation.ranks = strategy.ranks();
  auto partitioned = partition(graph, strategy, training, cluster);
  if (auto* refusal = std::get_if<Infeasible>(&partitioned)) {
    evaluation.result = std::move(*refusal);
    return evaluation;
  }
  Plan& plan = std::get<Plan>(partitioned);
  const Footprint memory = footprint(graph, plan, cluster);
  if (memory.total() > memory.available) {
    evaluation.result = out_of_memory(memory, plan);
    return evaluation;
  }
  const Setting setting{graph, cluster, profile};
  evaluation.result = price_and_schedule(setting, plan, memory, detail);
  evaluation.strategy = plan.strategy;
  if (detail == Detail::events) {
    evaluation.assumptions = list_assumptions(setting, plan);
    evaluation.plan = std::move(plan);
  }
  return evaluation;
}

}  // namespace oracle
