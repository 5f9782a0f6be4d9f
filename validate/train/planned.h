#pragma once
// What should each rank of a stage have sent in a step?
//
// The stage's items, and after them its messages to the next stage and to the one before: the
// order in which a program numbers what it measures (validate/program/program.h). Every micro-batch
// counts with its own size; of exchange and update there is one.
//                                                         tests/validate/train/planned_test.cpp

#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// What is measured of a stage.
std::vector<Item> measured_items(const Plan& plan, std::size_t stage);

/// Bytes that the rank of a stage which sends most sends for each of them in a whole step.
std::vector<double> planned_bytes(const Graph& graph, const Plan& plan, std::size_t stage);

}  // namespace oracle
