#pragma once
// Which strategies differ from a given one in a single setting?
//
// Overlap, buckets of half and twice the size, every other all-reduce for the gradients, the modes
// of batch norm where there is one, and for pipelines the other schedule and half and twice the
// micro-batches. The cuts stay: comparing those is a search.      tests/evaluate/changes_test.cpp

#include <string>
#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/plan/strategy.h"

namespace oracle {

struct ChangedStrategy {
  std::string text;  ///< the setting as a strategy writes it: "overlap=off"
  Strategy strategy;
};

std::vector<ChangedStrategy> changes_of(const Graph& graph, const Strategy& strategy);

}  // namespace oracle
