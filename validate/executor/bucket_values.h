#pragma once
// How do the parameters of a bucket lie behind one another?
//
// Layer by layer in the bucket's order, of each its parameters, in the host's memory.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "validate/executor/trained.h"

namespace oracle {

/// Calls `visit(weights, index, begin)` for each parameter of the layers; `begin` is a pointer to
/// the first value of all, or its place.
template <typename Place, typename Visit>
void for_each_parameter(const std::vector<LayerId>& layers, const TrainedLayers& trained,
                        Place begin, Visit visit) {
  for (const LayerId id : layers) {
    Weights& weights = *trained.find(id);
    for (std::size_t i = 0; i < trained.parameters(id); ++i) {
      visit(weights, i, begin);
      begin += weights.elements(i);
    }
  }
}

/// As many as the plan counts, the largest rank's, or as a rank holds: one may hold less, a bias
/// that another adds.
inline std::int64_t elements_of(const std::vector<LayerId>& layers, const TrainedLayers& trained,
                                std::int64_t planned) {
  std::int64_t held = 0;
  for (const LayerId id : layers) held += trained.elements(id);
  return std::max(planned, held);
}

}  // namespace oracle
