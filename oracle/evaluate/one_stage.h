#pragma once
// What do a network's layers cost, before it is cut into the stages of a pipeline?
//
// The network is planned and priced in one stage; of blocks that are alike, a few stand for all
// (plan/condensed.h).                                            tests/evaluate/one_stage_test.cpp

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

  // Of what was planned last.
  const Graph& graph() const { return condensed() ? condensed_.graph : setting_.graph; }
  StagePrices& price();
  /// Layers of the network that one of graph() stands for.
  std::int64_t times(LayerId id) const { return condensed() ? condensed_.times[id] : 1; }
  /// Figures by layer of graph(), by layer of the network.
  template <typename Figure>
  std::vector<Figure> expand(std::vector<Figure> figures) const {
    return condensed() ? condensed_.expand(figures) : std::move(figures);
  }

 private:
  bool condensed() const { return network_ != nullptr; }

  Setting setting_;
  Condensed condensed_;
  std::optional<PlanPricer> of_condensed_;
  PlanPricer& of_whole_;
  const Condensed* network_ = nullptr;  ///< null: the whole one is planned
  std::optional<Plan> plan_;
  Prices prices_;
};

}  // namespace oracle
