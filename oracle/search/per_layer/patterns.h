#pragma once
// How are the cuts of each contraction written as few and short rules?
//
// The cuts that most contractions have become those of the mesh, every other set of cuts a rule
// whose pattern matches its contractions and no other layer: names with '*' for a beginning, an end
// or both, the one that covers most first.
//
// Worked: AlexNet, conv1 … conv5 by sample, fc6 … fc8 by filter over 32 ranks:
// "data:32; fc*=filter:32"                        tests/search/per_layer/patterns_test.cpp

#include <span>
#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/plan/strategy/strategy.h"

namespace oracle::per_layer {

/// Cuts of one contraction, one per mesh axis.
struct LayerCuts {
  LayerId layer = 0;
  std::vector<Cut> cuts;
};

/// The strategy on the mesh of `base`, with its options, that cuts every contraction as
/// `assignment` says and has the other layers follow. With `brief` patterns are shortened (a few
/// milliseconds); else they list names, which plans alike.
Strategy strategy_of(const Graph& graph, std::span<const LayerCuts> assignment,
                     const Strategy& base, bool brief);

}  // namespace oracle::per_layer
