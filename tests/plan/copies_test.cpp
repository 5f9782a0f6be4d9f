#include "oracle/plan/copies.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace plan_copies_test {

bool in_memory(std::string_view strategy, std::string_view layer, Pass pass) {
  const Graph graph = normalized_pair();
  const Plan plan = plan_of(graph, strategy, 4);
  return finds_memory(graph, {id_of(graph, layer), pass}, copies_of(graph, plan.stages.front()));
}

TEST(Copies, WithoutMessagesNeighboursDecide) {
  for (const char* strategy : {"serial", "data:2"}) {
    EXPECT_TRUE(in_memory(strategy, "conv1", Pass::backward_data));
    EXPECT_TRUE(in_memory(strategy, "relu", Pass::forward));
    EXPECT_FALSE(in_memory(strategy, "relu", Pass::backward_data));
    EXPECT_FALSE(in_memory(strategy, "conv1", Pass::backward_weights));
  }
}

TEST(Copies, WhatComesWithHalosIsInCaches) {
  EXPECT_FALSE(in_memory("height:2", "conv1", Pass::backward_data));
  EXPECT_TRUE(in_memory("height:2", "relu", Pass::forward)) << "has no halo";
}

TEST(Copies, WhatOthersHaveWrittenIsNot) {
  EXPECT_TRUE(in_memory("channel:2", "norm", Pass::forward));
  EXPECT_FALSE(in_memory("filter:2", "norm", Pass::forward));
}

TEST(Copies, WhatReadersReadOfACopyIsNot) {
  EXPECT_TRUE(in_memory("height:2", "relu", Pass::backward_data)) << "read with halos";
  EXPECT_TRUE(in_memory("filter:2", "relu", Pass::backward_data)) << "read whole";
}

}  // namespace plan_copies_test
}  // namespace oracle
