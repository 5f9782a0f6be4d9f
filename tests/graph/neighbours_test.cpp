#include "oracle/graph/neighbours.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace neighbours_test {

constexpr std::array<bool, 3> kNever{}, kForward{true, false}, kBackward{false, true};

std::array<bool, 3> past_caches(const Graph& graph, std::string_view layer) {
  return graph[id_of(graph, layer)].past_caches;
}

TEST(Neighbours, BatchNormsLeaveInMemoryWhatTheyWrite) {
  const Graph graph = normalized_pair();
  EXPECT_EQ(past_caches(graph, "conv1"), kBackward);
  EXPECT_EQ(past_caches(graph, "norm"), kNever);
  EXPECT_EQ(past_caches(graph, "relu"), kForward) << "conv2's weights read what it keeps";
  EXPECT_EQ(past_caches(graph, "conv2"), kNever);
}

TEST(Neighbours, WhatNobodyMultipliesIsWhereForwardLeftIt) {
  const Graph graph = residual_block("activation");
  EXPECT_EQ(past_caches(graph, "branch"), kBackward);
  EXPECT_EQ(past_caches(graph, "conv1"), kNever) << "keeps its input";
}

TEST(Neighbours, AGradientOfSeveralIsASum) {
  EXPECT_EQ(past_caches(residual_block("batch_norm"), "conv2"), kBackward);
  EXPECT_EQ(past_caches(residual_block("batch_norm", true), "branch"), kNever);
  EXPECT_EQ(past_caches(residual_block("batch_norm"), "sum"), kNever)
      << "of what is left in caches as well";
}

}  // namespace neighbours_test
}  // namespace oracle
