#pragma once
// A random way to train: is every cut, alone and beside the others, somewhere in it?
//
// Up to three mesh axes of degree two to eight (most of them small) and now and then one of degree
// one, with any cut each; rules for layer ranges in every third; at most one pipeline.
//                                                            tests/properties/random_cases_test.cpp

#include "oracle/graph/graph.h"
#include "oracle/plan/strategy/strategy.h"
#include "oracle/plan/training.h"
#include "tests/properties/random.h"

namespace oracle {

/// Fits the cluster's `ranks` nearly always. Rules name layers that `graph` has.
Strategy random_strategy(Random& random, const Graph& graph, std::int64_t ranks);

/// Gives each rank of a pipeline several stages, and micro-batches in whole groups.
void draw_chunks(Random& random, Strategy& strategy);

Training random_training(Random& random, const Device& device);

}  // namespace oracle
