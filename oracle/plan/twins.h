#pragma once
// Which stages of a pipeline do as another one does, a few blocks later in the network?
//
// Stages of alike blocks (graph/blocks.h) that are planned alike have the same items, with other
// layers. They are emitted, priced and run once.
//
// Worked: GPT-3 as pipeline:8 has stages 0, 1 and 7, and 2 to 6, which are like 1
//                                                               tests/plan/twins_test.cpp

#include "oracle/graph/graph.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// Whether stage `s` of the plan, whose layers are known, does as the one before it, which has been
/// emitted, as have all before.
bool is_twin(const Graph& graph, const Plan& plan, std::size_t s);

/// Makes stage `s` one that is like `of`: with its messages, and its items only if `whole`.
void make_twin(std::size_t of, bool whole, std::size_t s, Plan& plan);

}  // namespace oracle
