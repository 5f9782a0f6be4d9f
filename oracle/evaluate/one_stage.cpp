#include "oracle/evaluate/one_stage.h"

#include <variant>

namespace oracle {

OneStage::OneStage(const Setting& setting, PlanPricer& pricer)
    : setting_(setting), condensed_(condense(setting.graph)), of_whole_(pricer) {
  if (condensed_) {
    of_condensed_.emplace(condensed_->graph, setting.cluster, setting.profile);
  }
}

const Plan* OneStage::plan(const Strategy& strategy, const Training& training) {
  const auto in_one = [&](const Graph& graph) {
    auto planned = partition_in_one_stage(graph, strategy, training, setting_.cluster);
    plan_.reset();
    if (auto* plan = std::get_if<Plan>(&planned)) plan_ = std::move(*plan);
  };
  is_condensed_ = condensed_ && names_no_blocks(strategy);
  in_one(graph());
  if (is_condensed_ && plan_ && !is_planned_alike(*condensed_, *plan_)) {
    is_condensed_ = false;
    in_one(graph());
  }
  return plan_ ? &*plan_ : nullptr;
}

StagePrices& OneStage::price() {
  (is_condensed_ ? *of_condensed_ : of_whole_).price_passes(*plan_, prices_);
  StagePrices& prices = prices_.stages.front();
  // Messages beside which another micro-batch is computed may take no time.
  const std::vector<std::uint32_t>& hidden = plan_->stages.front().expert_messages;
  if (!hidden.empty()) prices.beside.resize(prices.items.size());
  for (const std::uint32_t message : hidden) prices.beside[message] = prices.items[message].time;
  return prices;
}

}  // namespace oracle
