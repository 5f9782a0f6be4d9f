// The evaluation item by item: time per layer and per transfer over a whole step.

#include "oracle/evaluate/details.h"
#include "oracle/plan/fusion.h"

namespace oracle {
namespace {

Cost& part_of(LayerTime& layer, Pass pass, Phase phase) {
  if (pass == Pass::forward || phase == Phase::forward) return layer.forward;
  return pass == Pass::backward_weights ? layer.backward_weights : layer.backward_data;
}

/// Adds a price to a part.
void add_to(Cost& part, const Cost& cost) {
  CostSum sum;
  sum.add(part);
  sum.add(cost);
  part = sum.total();
}

double narrowest_sharing(const Group& group) {
  double sharing = 1;
  Bandwidth slowest = group.levels > 0 ? group.level[0].flow : Bandwidth{};
  for (std::size_t l = 0; l < group.levels; ++l) {
    if (group.level[l].flow > slowest) continue;
    slowest = group.level[l].flow;
    sharing = group.level[l].flows;
  }
  return sharing;
}

TransferTime describe(const Setting& setting, const Plan& plan, const Transfer& transfer,
                      std::size_t stage, Phase phase, std::int64_t times) {
  const TransferPrice priced = price_transfer(plan, transfer, setting.cluster, setting.profile);
  TransferTime row;
  row.transfer = transfer;
  row.stage = stage;
  row.phase = phase;
  row.times = times;
  row.ranks = plan.group_size(transfer.axes);
  row.cost = priced.cost * static_cast<double>(times);
  row.sent = sent_bytes(transfer, row.ranks) * static_cast<double>(times);
  row.algorithm = priced.algorithm != nullptr ? std::string(priced.algorithm->name) : "neighbour";
  if (crosses_host_link(transfer)) {
    row.algorithm = "copy";
    row.level = "host";
  }
  if (priced.group.levels > 0) row.level = setting.cluster.levels[priced.group.levels - 1].name;
  row.sharing = narrowest_sharing(priced.group);
  return row;
}

TransferTime describe(const Setting& setting, const Plan& plan, const Compression& step,
                      std::size_t stage) {
  TransferTime row;
  row.transfer.payload = Payload::compressed_gradient;
  row.transfer.layer = step.layer;
  row.transfer.bytes = step.held;
  row.computed = step.step;
  row.stage = stage;
  row.phase = Phase::exchange;
  row.cost = price_compression(plan, step, setting.cluster, setting.profile);
  return row;
}

}  // namespace

std::vector<LayerTime> layer_times(const Setting& setting, const Plan& plan, const Prices& prices,
                                   const Timeline& timeline) {
  const auto micro_batches = static_cast<double>(plan.strategy.micro_batches);
  std::vector<LayerTime> rows(setting.graph.size());
  for (LayerTime& row : rows) {
    row.layer = static_cast<LayerId>(&row - rows.data());
    if (plan.is_fused(row.layer)) row.computed_in = computed_in(setting.graph, plan, row.layer);
    row.backward_too = is_fused_backward(setting.graph, plan, row.layer);
    row.forward.source = row.backward_data.source = row.backward_weights.source = Source::measured;
  }
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    for (std::size_t i = 0; i < stage.items.size(); ++i) {
      const auto* work = std::get_if<Work>(&stage.items[i].what);
      if (work == nullptr || work->layer == kAllLayers) continue;
      rows[work->layer].stage = s;
      Cost cost = prices.stages[s].items[i] * micro_batches;
      cost.time += timeline.lost[s][i];
      add_to(part_of(rows[work->layer], work->pass, stage.items[i].phase), cost);
    }
  }
  return rows;
}

std::vector<TransferTime> transfer_times(const Setting& setting, const Plan& plan,
                                         const Timeline& timeline) {
  const std::int64_t micro_batches = plan.strategy.micro_batches;
  std::vector<TransferTime> rows;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    for (std::size_t i = 0; i < stage.items.size(); ++i) {
      const auto* transfer = std::get_if<Transfer>(&stage.items[i].what);
      const auto* step = std::get_if<Compression>(&stage.items[i].what);
      if (transfer == nullptr && step == nullptr) continue;
      const Phase phase = stage.items[i].phase;
      const std::int64_t times = phase == Phase::exchange ? 1 : micro_batches;
      rows.push_back(step != nullptr ? describe(setting, plan, *step, s)
                                     : describe(setting, plan, *transfer, s, phase, times));
      const double share = stage.items[i].per_step();
      rows.back().cost = rows.back().cost * share;
      rows.back().sent = rows.back().sent * share;
      if (s == timeline.slowest_stage) rows.back().exposed = timeline.exposed[i];
    }
    for (const Transfer& message : stage.to_next) {
      rows.push_back(describe(setting, plan, message, s, Phase::forward, micro_batches));
    }
    for (const Transfer& message : stage.from_next) {
      rows.push_back(describe(setting, plan, message, s + 1, Phase::backward, micro_batches));
    }
  }
  return rows;
}

}  // namespace oracle
