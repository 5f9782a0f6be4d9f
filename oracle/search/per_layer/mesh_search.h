#pragma once
// Which cuts for each contraction are the best on one mesh?
//
// A sweep gives the assignments that minimize each bound of the step and means of them; with those
// and the strategies that cut all layers alike, judged by evaluate(), begins a descent. Where
// memory is short a second sweep weighs it too. Last, where the states are few enough, branch and
// bound proves the best or finds it. What no assignment of the mesh can beat is reported beside it.
//                                        tests/properties/per_layer_exhaustive_test.cpp

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "oracle/search/per_layer/judge.h"

namespace oracle::per_layer {

struct MeshRequest {
  std::vector<std::int64_t> degrees;  ///< outermost first, at most kMostAxes
  Training training;
  Strategy base;          ///< options to copy
  std::vector<Cut> cuts;  ///< that a contraction may take over an axis
  /// A step known from elsewhere [s]: only better ones are of interest.
  double known = std::numeric_limits<double>::infinity();
  bool uniform = true;  ///< judge strategies that cut all layers alike too
  /// What a sweep may look at: choices at states, over all contractions.
  std::int64_t expansions = 1'500'000;
  std::int64_t evaluations = 400;   ///< of the sweeps' assignments and the descent
  std::size_t exact_states = 2000;  ///< after each contraction, for a proof
  std::int64_t exact_evaluations = 4000;
};

struct MeshAnswer {
  std::optional<Found> best;          ///< of this mesh; absent where none fits
  std::optional<Infeasible> nearest;  ///< what lacks least of fitting, of those looked at
  /// No assignment of this mesh has a shorter step, unless it is longer than `known`.
  Seconds bound;
  bool proven = false;  ///< no assignment of this mesh is better than the best or than `known`
  std::int64_t evaluations = 0;
};

/// Throws InputError as evaluate() does.
MeshAnswer search_mesh(const Graph& graph, const Cluster& cluster, const Profile& profile,
                       const MeshRequest& request);

}  // namespace oracle::per_layer
