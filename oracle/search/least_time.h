#pragma once
// How short can a step be at best, whatever the order of its mesh axes?
//
// The order decides which links the groups cross; what is computed and how much is moved is the
// same. So one plan in one stage, without exchange, answers for all orders:
//
//   T       = Σ kernels + Σ transfers, each of these at least
//             α + S·(n−1)/n / B                 of the fastest link of the cluster, and
//             α + S·(1 − c/n) / B_l             of each level that n ranks cannot do without, below
//                                               which lie c ranks
//   step    ≥ m·T, of a pipeline of S stages    max(T / (1 − (1 − 1/m)^S), m·longest layer)
//
// since a stage is busy m times, after the stages before it were once: the stages that end together
// get shorter by 1 − 1/m each.
//
// Where links were measured, transfers count for nothing: a fit may promise more than the data
// sheet.
//
// Worked: no step of any strategy is shorter                     tests/properties/pruning_test.cpp

#include "oracle/cost/plan_pricer.h"
#include "oracle/evaluate/evaluation.h"

namespace oracle {

class LeastTime {
 public:
  /// What the setting refers to must outlive it.
  explicit LeastTime(const Setting& setting);

  /// Of a strategy in any order of its axes; 0 where it cannot be planned.
  Seconds of(const Strategy& strategy, const Training& training);

 private:
  Seconds least(const Transfer& transfer, std::int64_t ranks) const;

  Setting setting_;
  PlanPricer pricer_;
  Prices prices_;
};

/// The strategy with its axes in the order that stands for all.
Strategy in_common_order(Strategy strategy);

}  // namespace oracle
