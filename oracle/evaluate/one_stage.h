#pragma once
// What do a network's layers cost, before it is cut into the stages of a pipeline?
//
// The network is planned and priced in one stage; of blocks that are alike, a few stand for all
// (plan/condensed.h). Messages of experts that go on beside computing are taken to cost nothing.
//                                                                tests/evaluate/one_stage_test.cpp

#include <optional>
#include <vector>

#include "oracle/cost/plan_pricer.h"
#include "oracle/evaluate/evaluation.h"
#include "oracle/plan/condensed.h"

namespace oracle {

class OneStage {
 public:
  /// What the setting refers to must outlive it, and so must `pricer`, of the same setting.
  OneStage(const Setting& setting, PlanPricer& pricer);

  /// Null where the strategy cannot be planned; valid until the next one is.
  const Plan* plan(const Strategy& strategy, const Training& training);

  /// Whether blocks that are alike are planned once.
  bool condenses() const { return condensed_.has_value(); }

  // Of what was planned last.
  const Graph& graph() const { return is_condensed_ ? condensed_->graph : setting_.graph; }
  StagePrices& price();
  /// Layers of the network that one of graph() stands for.
  std::int64_t times(LayerId id) const { return is_condensed_ ? condensed_->times[id] : 1; }
  /// Figures by layer of graph(), by layer of the network.
  template <typename Figure>
  std::vector<Figure> expand(std::vector<Figure> figures) const {
    return is_condensed_ ? condensed_->expand(figures) : std::move(figures);
  }

 private:
  Setting setting_;
  std::optional<Condensed> condensed_;
  std::optional<PlanPricer> of_condensed_;
  PlanPricer& of_whole_;
  bool is_condensed_ = false;  ///< what is planned
  std::optional<Plan> plan_;
  Prices prices_;
};

}  // namespace oracle
