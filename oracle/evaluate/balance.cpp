#include "oracle/evaluate/balance.h"

#include <variant>

#include "oracle/cost/transfer_pricer.h"
#include "oracle/plan/emit.h"
#include "oracle/plan/stages.h"

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
  const std::uint32_t end = passes == Passes::all ? stage.backward_end.items : stage.backward_begin;
  for (std::uint32_t i = 0; i < end; ++i) {
    const Item& item = stage.items[i];
    const Seconds time = prices.items[i].time;
    if (const auto* work = std::get_if<Work>(&item.what)) {
      costs[work->layer] += time + pending;
      pending = {};
      continue;
    }
    const auto& transfer = std::get<Transfer>(item.what);
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

/// What the `count` stages of a pipeline are balanced by.
StageCosts stage_costs(const Setting& setting, const Plan& whole, std::int64_t count,
                       OneStage& one_stage) {
  const Graph& graph = one_stage.graph();
  const Stage& stage = whole.stages.front();
  const StagePrices& prices = one_stage.price();
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

}  // namespace

Strategy with_stages(const Setting& setting, const Strategy& strategy, const Training& training,
                     OneStage& one_stage) {
  if (!strategy.has(Cut::pipeline) || !strategy.stages.empty()) return strategy;
  const Plan* whole = one_stage.plan(strategy, training);
  if (whole == nullptr || whole->group_size(whole->pipeline_axes) == 1) return strategy;
  const std::int64_t count = whole->group_size(whole->pipeline_axes) * strategy.chunks;
  const StageCosts costs = stage_costs(setting, *whole, count, one_stage);
  const std::vector<LayerId> firsts = balance_stages(costs, count, whole->strategy.micro_batches);
  Strategy staged = strategy;
  if (!firsts.empty()) staged.stages = stage_names(setting.graph, firsts);
  return staged;
}

Strategy with_stages(const Setting& setting, const Strategy& strategy, const Training& training) {
  PlanPricer pricer(setting.graph, setting.cluster, setting.profile);
  OneStage one_stage(setting, pricer);
  return with_stages(setting, strategy, training, one_stage);
}

}  // namespace oracle
