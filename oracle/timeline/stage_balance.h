#pragma once
// Between which layers is a network cut into pipeline stages?
//
// With t_s a stage's passes of one micro-batch, f_s and b_s the messages to the next stage and from
// it, and W_s = Σ_{k≥s} (t_k + f_k + b_k), the stages from s on take for m micro-batches
//
//   L_s = the longest of   m·t_s                            the stage itself
//                          t_s + f_s + b_s + L_{s+1}        one on its way, the others behind it
//                          t_s + m·f_s + b_s + W_{s+1}      the link forward, and that back alike
//                          ⌈m / (S−s)⌉·W_s                  h = S − s are under way, the next waits
//                          W_s + (m−1)·t_s − (h−1)·p_s      once the first is back, it is busy; by
//                                                           then h forward passes p_s are done
//
// and the step is L_0. Of all ways to cut, the shortest is found by dynamic programming over the
// last stages: of those that begin at one layer, only what no other beats in both L and Σ (f + b)
// can be part of it. One micro-batch, which is in no hurry, is dealt as evenly as two.
//
// Most beginnings of a stage are in no way that is short enough. With M = Σ (f + b), by stage s,
//
//   L_0 = max over s of    Σ_{k<s} (t_k + f_k + b_k) + m·t_s
//                          Σ t + M + the longest of (m−1)·t_s − (h−1)·p_s, (m−1)·f_s, (m−1)·b_s and
//                                    (⌈m/h⌉ − 1)·W_s
//
// A bound on L_0 limits each stage, and the least of these terms over the stages before a beginning
// and the least messages on both sides of it say whether a way within the bound begins a stage
// there. The bound is raised from the least that L_0 can be until there is such a way.
//
// PipeDream minimizes the longest stage in the same manner: Narayanan et al., SOSP 2019.
//
// Worked: layers of 3, 1, 2, 2 s over 2 stages: cut before the third where messages are free,
// before the second where it costs 1 s to send what the second makes
//                                                              tests/timeline/stage_balance_test.cpp

#include <cstdint>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/graph/graph.h"

namespace oracle {

/// Of one micro-batch, by layer.
struct StageCosts {
  std::vector<Seconds> layers;    ///< its passes
  std::vector<Seconds> ahead;     ///< of these the forward one
  std::vector<Seconds> forward;   ///< messages where a stage begins at that layer: to it,
  std::vector<Seconds> backward;  ///< and of gradients from it
  std::vector<bool> may_begin;    ///< whether a stage may begin there; that of the first does
};

/// First layer of each stage, and one past the last layer; empty: there are too few places.
std::vector<LayerId> balance_stages(const StageCosts& costs, std::int64_t stages,
                                    std::int64_t micro_batches);

/// No step is shorter with the stages that begin at `firsts`, in whatever order each of `ranks`
/// ranks runs its passes. Rank r has the stages r, ranks + r, …: it begins once a micro-batch has
/// come through the stages before stage r, and the last one goes back through these.
///
///   step ≥ max over r of Σ_{k<r} t_k + m·(t_r + t_{ranks+r} + …)
///
/// Worked: stages of 1, 2, 3 and 4 s on 2 ranks, 5 micro-batches: 1 + 5·(2 + 4) = 31 s
///                                                              tests/timeline/stage_balance_test.cpp
Seconds least_step(const std::vector<Seconds>& layers, const std::vector<LayerId>& firsts,
                   std::int64_t ranks, std::int64_t micro_batches);

}  // namespace oracle
