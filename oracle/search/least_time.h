#pragma once
// How short can a step be at best, and how little can it need, whatever the order of its mesh axes?
//
// The order decides which links the groups cross; what is computed and how much is moved is the
// same. So one plan in one stage, without exchange, answers for all orders:
//
//   T       = Σ kernels + Σ transfers, each of these at least
//             α + S·(n−1)/n / B                 of the fastest link of the cluster, and
//             α + S·(1 − c/n) / B_l             of each level that n ranks cannot do without, below
//                                               which lie c ranks
//   step    ≥ m·T, of a pipeline of S stages with h = min(m, S) at most under way
//             T + ((m−1)·T − (h−1)·P) / S       P of T is forward,
//             T + (m−h)·t + (h−1)·b             t the longest layer's passes, b of it backward
//                                               (h one more with expert_overlap=on)
//           of one with several stages a rank
//             m·T / S, T, m·t
//           of one whose backward is two turns (zb_h1, zb_h2), the second of which no one waits for
//             m·T / S, m·t
//
// since once the first micro-batch is back, a stage is busy with all that is not yet done: m − 1
// times its passes less h − 1 forward ones. One stage has at least the average of that, and one has
// the longest layer.
//
// Where a stage ends within a block, less of it is computed again than in one stage: of what is,
// the longest three layers for each end do not count.
//
// Where links were measured, transfers count for nothing: a fit may promise more than the data
// sheet; nor do those beside which ranks compute.
//
// A rank needs at least the weights, gradients and optimizer state of its layers, and what backward
// reads of their forward, of each micro-batch under way. Layers go to S stages in their order, so
// that the least of the greatest of S needs is a bound, found by filling one rank after the other;
// of one with several stages a rank, a part in S of all that is.
//
// Worked: no step of any strategy is shorter, and none needs less tests/properties/pruning_test.cpp

#include <cstdint>
#include <span>
#include <vector>

#include "oracle/evaluate/one_stage.h"
#include "oracle/search/savings.h"

namespace oracle {

class LeastTime {
 public:
  /// What the setting refers to must outlive it.
  explicit LeastTime(const Setting& setting);

  /// With each of these numbers of stages on a rank; 0 where it cannot be planned. `most_zero`: the
  /// last for which memory is asked.
  std::vector<Least> of(Strategy strategy, const Training& training,
                        std::span<const std::int64_t> chunks, int most_zero = 0);

 private:
  /// Of a layer: its passes, and the forward ones.
  struct Passing {
    std::vector<Seconds> all, ahead;
  };
  Passing passing(const Plan& plan);
  Seconds time_of(const Plan& plan, const Passing& layers, std::int64_t chunks) const;
  std::vector<Bytes> state_of(const Plan& plan, int zero) const;
  Seconds least(const Transfer& transfer, std::int64_t ranks) const;

  Setting setting_;
  PlanPricer pricer_;
  OneStage one_stage_;
};

/// Mesh axes in the order that stands for all.
std::vector<MeshAxis> in_common_order(std::vector<MeshAxis> mesh);

}  // namespace oracle
