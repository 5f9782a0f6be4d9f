#pragma once
// Where does scaling stop, and why?
//
// Weak scaling keeps the samples per rank, strong scaling the global batch. Efficiency is
// throughput per rank relative to the first count that fits. Communication overtakes compute at the
// first count where the exposed communication of the step exceeds its compute. The limits of each
// way to cut (ParaDL's table: p ≤ B, p ≤ min F, p ≤ min C, p ≤ extents, p ≤ layers) are derived by
// asking the cuts themselves.
//                                                                        tests/search/scale_test.cpp

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracle/evaluate/evaluation.h"
#include "oracle/search/search.h"

namespace oracle {

/// How far one way to cut goes on a network, alone and at a given batch.
struct CutLimit {
  Cut cut = Cut::sample;
  std::string rule;       ///< "p ≤ min filters"
  std::int64_t most = 1;  ///< the largest degree that can be planned
  std::string subject;    ///< the layer (or "batch", "device memory") that allows no more
  std::int64_t most_in_memory =
      0;  ///< the largest power of two up to `most` that also fits; 0: none
};

std::vector<CutLimit> cut_limits(const Graph& graph, const Cluster& cluster,
                                 const Training& training);

struct ScaleRequest {
  std::vector<std::int64_t> counts;  ///< ranks, ascending
  Training training;  ///< its batch is the global batch (strong) or that of one rank (weak)
  bool weak = true;
  /// Cut whose degree grows with the count over the mesh of `strategy`; absent: the best of the
  /// space at each count.
  std::optional<Strategy> strategy;  ///< one axis has degree 0: it takes what the others leave
  SearchRequest search;              ///< for the best; its ranks and training are replaced
};

struct ScalePoint {
  std::int64_t ranks = 1;
  std::int64_t batch = 1;
  Evaluation evaluation;  ///< with Detail::events
  double efficiency = 0;  ///< 0 where infeasible
};

struct ScaleStudy {
  std::vector<ScalePoint> points;
  std::optional<std::int64_t>
      crossover;                 ///< first count whose exposed communication exceeds compute
  std::vector<CutLimit> limits;  ///< at the last count's batch
};

ScaleStudy scale(const Graph& graph, const Cluster& cluster, const Profile& profile,
                 const ScaleRequest& request);

/// Replaces the axis of degree 0 so that the mesh has `ranks` ranks. Throws InputError when the
/// other axes do not divide `ranks`. parse_strategy reads `data` (no degree) as degree 0.
Strategy fill(const Strategy& strategy, std::int64_t ranks);

}  // namespace oracle
