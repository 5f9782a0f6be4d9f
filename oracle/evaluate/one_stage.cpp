#include "oracle/evaluate/one_stage.h"

#include <variant>

namespace oracle {

OneStage::OneStage(const Setting& setting, PlanPricer& pricer)
    : setting_(setting), condensed_(condense(setting.graph)), of_whole_(pricer) {
  if (condensed_.leaves_out()) {
    of_condensed_.emplace(condensed_.graph, setting.cluster, setting.profile);
  }
}

const Plan* OneStage::plan(const Strategy& strategy, const Training& training) {
  const auto in_one = [&](const Graph& graph) {
    auto planned = partition_in_one_stage(graph, strategy, training, setting_.cluster);
    plan_.reset();
    if (auto* plan = std::get_if<Plan>(&planned)) plan_ = std::move(*plan);
  };
  network_ = of_condensed_ && names_no_layers(strategy) ? &condensed_ : nullptr;
  in_one(graph());
  if (network_ != nullptr && plan_ && !is_planned_alike(condensed_, *plan_)) {
    network_ = nullptr;
    in_one(graph());
  }
  return plan_ ? &*plan_ : nullptr;
}

StagePrices& OneStage::price() {
  (condensed() ? *of_condensed_ : of_whole_).price_passes(*plan_, prices_);
  return prices_.stages.front();
}

}  // namespace oracle
