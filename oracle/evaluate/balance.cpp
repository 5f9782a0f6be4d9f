#include "oracle/evaluate/balance.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "oracle/cost/transfer_pricer.h"
#include "oracle/plan/emit.h"
#include "oracle/plan/stages.h"
#include "oracle/timeline/stage_run.h"

namespace oracle {
namespace {

/// Adds what it takes to send a layer's output wherever a stage begins between it and its last
/// reader.
void add_messages(const Graph& graph, const Plan& whole, TransferPricer& prices,
                  StageCosts& costs) {
  const std::vector<bool> needs = needs_gradient(graph);
  for (LayerId id = 1; id < graph.size(); ++id) {
    if (graph.consumers[id].empty()) continue;
    const LayerId end = graph.consumers[id].back() + 1;
    const auto price = [&](Payload payload) {
      return prices.cost(message_of(graph, whole, id, payload)).time;
    };
    const Seconds sent = price(Payload::activation);
    const Seconds returned = needs[id] ? price(Payload::activation_gradient) : Seconds{};
    for (LayerId place = id + 1; place < end; ++place) {
      costs.forward[place] += sent;
      costs.backward[place] += returned;
    }
  }
}

}  // namespace

std::vector<Seconds> layer_costs(const Graph& graph, const Stage& stage, const StagePrices& prices,
                                 Passes passes) {
  std::vector<Seconds> costs(graph.size());
  Seconds pending;
  const std::uint32_t end =
      passes == Passes::forward ? stage.backward_begin : stage.backward_end.items;
  for (std::uint32_t i = 0; i < end; ++i) {
    const Item& item = stage.items[i];
    const Seconds time = prices.waited_for(i);
    if (const auto* work = std::get_if<Work>(&item.what)) {
      const bool counts = passes != Passes::settled || work->pass != Pass::gradient_sum;
      if (counts) costs[work->layer] += time + pending;
      pending = {};
      continue;
    }
    const auto& transfer = std::get<Transfer>(item.what);
    if (crosses_host_link(transfer)) continue;  // beside computing
    const bool converts = transfer.payload == Payload::activation_gradient &&
                          transfer.collective != Collective::halo_exchange;
    if (converts && !graph.consumers[transfer.layer].empty()) {
      costs[graph.consumers[transfer.layer].back()] += time;
    } else {
      pending += time;
    }
  }
  return costs;
}

namespace {

/// Whatever rounding adds to a lower bound.
constexpr double kSumsInAnotherOrder = 1 - 1e-9;

/// Whether a step waits for all that layers cost: what is sent beside computing may come in time.
bool is_waited_for(const Plan& whole) {
  const Stage& stage = whole.stages.front();
  const auto items = std::span(stage.items).first(stage.backward_end.items);
  return std::all_of(items.begin(), items.end(), [](const Item& item) {
    const Stream stream = stream_of(item);
    return stream == Stream::compute || stream == Stream::communication;
  });
}

/// What layers cost at least in stages, wherever these end: backward computes a layer again that is
/// not the last of its segment there.
std::vector<Seconds> least_in_stages(const Plan& whole, const StagePrices& prices,
                                     const OneStage& one_stage) {
  const Stage& stage = whole.stages.front();
  std::vector<Seconds> layers = layer_costs(one_stage.graph(), stage, prices, Passes::settled);
  if (!whole.recomputation.segments.empty()) {
    const std::vector<Seconds> ahead =
        layer_costs(one_stage.graph(), stage, prices, Passes::forward);
    for (LayerId id = 0; id < layers.size(); ++id) {
      if (whole.recomputation.covers(id)) layers[id] = layers[id] - ahead[id];
    }
  }
  return one_stage.expand(std::move(layers));
}

/// What the `count` stages of a pipeline are balanced by.
StageCosts stage_costs(const Setting& setting, const Plan& whole, const StagePrices& prices,
                       std::int64_t count, const OneStage& one_stage) {
  const Graph& graph = one_stage.graph();
  const Stage& stage = whole.stages.front();
  StageCosts costs;
  costs.forward.resize(graph.size());
  costs.backward.resize(graph.size());
  TransferPricer transfers(whole, setting.cluster, setting.profile);
  add_messages(graph, whole, transfers, costs);
  costs.layers = one_stage.expand(layer_costs(graph, stage, prices, Passes::all));
  costs.ahead = one_stage.expand(layer_costs(graph, stage, prices, Passes::forward));
  costs.forward = one_stage.expand(std::move(costs.forward));
  costs.backward = one_stage.expand(std::move(costs.backward));
  const std::vector<bool> fused = whole.fused.empty() ? whole.fused : one_stage.expand(whole.fused);
  costs.may_begin = stage_places(setting.graph, fused, count);
  return costs;
}

/// A network in one stage.
struct Whole {
  const Plan& plan;
  const StagePrices& prices;
  std::int64_t ranks;  ///< of the pipeline
};

/// None where the strategy names its stages, has none, or cannot be planned.
std::optional<Whole> in_one_stage(const Strategy& strategy, const Training& training,
                                  OneStage& one_stage) {
  if (!strategy.has(Cut::pipeline) || names_stages(strategy)) return std::nullopt;
  const Plan* plan = one_stage.plan(strategy, training);
  if (plan == nullptr) return std::nullopt;
  const std::int64_t ranks = plan->group_size(plan->pipeline_axes);
  if (ranks == 1) return std::nullopt;
  return Whole{*plan, one_stage.price(), ranks};
}

/// Where the stages of `strategy` begin, so many on each rank.
std::vector<LayerId> stage_firsts(const Setting& setting, const Strategy& strategy,
                                  const Whole& whole, std::int64_t chunks,
                                  const OneStage& one_stage) {
  const std::int64_t count = whole.ranks * chunks;
  if (auto even = even_stages(setting.graph, strategy, count)) return *even;
  const StageCosts costs = stage_costs(setting, whole.plan, whole.prices, count, one_stage);
  return balance_stages(costs, count, whole.plan.strategy.micro_batches);
}

}  // namespace

Strategy with_stages(const Setting& setting, const Strategy& strategy, const Training& training,
                     OneStage& one_stage) {
  if (!leaves_stages_open(setting.graph, strategy)) return strategy;
  Strategy staged = strategy;
  if (const auto whole = in_one_stage(strategy, training, one_stage)) {
    const auto firsts = stage_firsts(setting, strategy, *whole, strategy.chunks, one_stage);
    if (!firsts.empty()) staged.stages = stage_names(setting.graph, firsts);
  }
  return staged;
}

Strategy with_stages(const Setting& setting, const Strategy& strategy, const Training& training) {
  PlanPricer pricer(setting.graph, setting.cluster, setting.profile);
  OneStage one_stage(setting, pricer);
  return with_stages(setting, strategy, training, one_stage);
}

std::vector<Seconds> least_with_stages(const Setting& setting, const Strategy& strategy,
                                       const Training& training,
                                       std::span<const std::int64_t> chunks, OneStage& one_stage) {
  std::vector<Seconds> least(chunks.size());
  // Gradients of weights may be made when the last micro-batch has gone back.
  if (parts_backward(strategy.schedule)) return least;
  const auto whole = in_one_stage(strategy, training, one_stage);
  if (!whole || !is_waited_for(whole->plan)) return least;
  const std::vector<Seconds> layers = least_in_stages(whole->plan, whole->prices, one_stage);
  std::transform(chunks.begin(), chunks.end(), least.begin(), [&](std::int64_t count) {
    const auto firsts = stage_firsts(setting, strategy, *whole, count, one_stage);
    if (firsts.empty()) return Seconds{};
    return least_step(layers, firsts, whole->ranks, whole->plan.strategy.micro_batches) *
           kSumsInAnotherOrder;
  });
  return least;
}

Seconds least_in_one_stage(const Strategy& strategy, const Training& training,
                           OneStage& one_stage) {
  const Plan* whole = one_stage.plan(strategy, training);
  if (whole == nullptr || !is_waited_for(*whole)) return {};
  const std::vector<Seconds> layers =
      layer_costs(one_stage.graph(), whole->stages.front(), one_stage.price(), Passes::all);
  Seconds once;
  for (LayerId id = 0; id < layers.size(); ++id) {
    once += layers[id] * static_cast<double>(one_stage.times(id));
  }
  return once * static_cast<double>(whole->strategy.micro_batches) * kSumsInAnotherOrder;
}

}  // namespace oracle
