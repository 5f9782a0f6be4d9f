// A weight that two layers use: counted, kept, exchanged and updated once.

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/memory/footprint.h"
#include "oracle/plan/emit.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace shared_weights_test {

/// fc1 10 → 20, fc2 20 → 10, fc3 10 → 20 with the weight of fc1.
Graph tied_chain() {
  GraphBuilder builder("tied");
  LayerId last = builder.input(shape_of(10));
  for (const std::int64_t features : {20, 10, 20}) {
    last = builder.add("fc" + std::to_string(last + 1), "dense", {last},
                       {{"features", features}, {"bias", false}});
  }
  builder.share(last, "weight", 1);
  builder.add("loss", "softmax_loss", {last});
  return builder.finish();
}

Infeasible refusal_of(const Graph& graph, std::string_view strategy) {
  return std::get<Infeasible>(
      partition(graph, parse_strategy(strategy), training_of(8), flat_cluster()));
}

TEST(SharedWeights, AreCountedAndKeptOnce) {
  const Graph graph = tied_chain();
  EXPECT_EQ(graph.parameters(), 400);
  EXPECT_EQ(graph[3].parameters(), 0);
  const Footprint memory = footprint(graph, plan_of(graph, "serial", 8), flat_cluster());
  EXPECT_EQ(memory.of(MemoryUse::weights).value, 4 * 400);
  EXPECT_EQ(memory.of(MemoryUse::gradients).value, 4 * 400);
}

// fc1 is the last to add to its gradient, so the bucket waits for it.
TEST(SharedWeights, AreSummedOnceWhenTheLastUserHasAdded) {
  const Graph graph = tied_chain();
  const Plan plan = plan_of(graph, "data:2", 8);
  const Stage& stage = plan.stages[0];
  double bytes = 0;
  for (const Item& item : stage.items) {
    if (item.phase == Phase::exchange) bytes += std::get<Transfer>(item.what).bytes.value;
  }
  EXPECT_EQ(bytes, 4 * 400);
  ASSERT_EQ(stage.backward_end.gradients.size(), 2U);
  EXPECT_EQ(stage.backward_end.gradients.back().layer, 1U);
  const Item& last = stage.items[stage.backward_end.gradients.back().ready_after];
  EXPECT_EQ(std::get<Work>(last.what).layer, 1U);
}

TEST(SharedWeights, AreHeldAlikeByAllUsers) {
  const Graph graph = tied_chain();
  EXPECT_EQ(plan_of(graph, "filter:2", 8).pieces[1].owned(), 100);
  EXPECT_EQ(to_text(refusal_of(graph, "fc1=filter:2; fc2=filter:2; fc3=channel:2")),
            "layer fc3 holds another part of the weight that it shares with fc1; shard both layers "
            "along the same axes, with a rule for each");
}

/// In another stage the user has a copy, and both send each other their gradients.
TEST(SharedWeights, AreCopiedToOtherStages) {
  const Graph graph = tied_chain();
  const Plan plan = plan_of(graph, "pipeline:2", 8);
  ASSERT_EQ(plan.copies.size(), 1U);
  const WeightCopy& copy = plan.copies.front();
  EXPECT_EQ(plan.pieces[copy.user].shared, 0);
  for (const Stage& stage : plan.stages) {
    ASSERT_EQ(stage.backward_end.copies.size(), 1U);
    EXPECT_EQ(stage.backward_end.copies.front().bytes.value,
              4 * static_cast<double>(copy.elements));
  }
}

TEST(SharedWeights, HaveOneNameAndSize) {
  GraphBuilder builder("tied");
  const LayerId first =
      builder.add("fc1", "dense", {builder.input(shape_of(10))}, {{"features", std::int64_t{20}}});
  const LayerId second = builder.add("fc2", "dense", {first}, {{"features", std::int64_t{20}}});
  EXPECT_THROW(builder.share(second, "weight", first), InputError);
  EXPECT_THROW(builder.share(second, "gamma", first), InputError);
  EXPECT_NO_THROW(builder.share(second, "bias", first));
}

}  // namespace shared_weights_test
}  // namespace oracle
