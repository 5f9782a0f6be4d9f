#include "oracle/plan/weight_shards.h"

#include <gtest/gtest.h>

#include "oracle/io/models/model_reader.h"
#include "oracle/memory/footprint.h"
#include "oracle/timeline/timeline.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace weight_shards_test {

/// By collective, transfers of weights and their gradients in forward and backward, or after it.
std::vector<std::string> transfers(const Stage& stage) {
  std::vector<std::string> found;
  for (const Item& item : stage.items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr) continue;
    found.push_back(std::string(name_of(item.phase)) + ' ' +
                    std::string(name_of(transfer->collective)) + ' ' +
                    std::to_string(static_cast<std::int64_t>(transfer->bytes.value)));
  }
  return found;
}

using Lines = std::vector<std::string>;

/// 4·4 and 4·2 weights, which are two units: their names say so.
Graph two_blocks() {
  GraphBuilder builder("blocks");
  LayerId last = builder.input(shape_of(4));
  const Attributes wide{{"features", std::int64_t{4}}, {"bias", false}};
  const Attributes narrow{{"features", std::int64_t{2}}, {"bias", false}};
  last = builder.add("0.fc", "dense", {last}, wide);
  last = builder.add("1.fc", "dense", {last}, narrow);
  builder.add("1.loss", "softmax_loss", {last});
  return builder.finish();
}

TEST(WeightShards, AreGatheredForEachUseAndScattered) {
  const Graph graph = two_blocks();
  EXPECT_EQ(transfers(plan_of(graph, "data:2", 2).stages[0]), (Lines{"exchange all_reduce 96"}));
  EXPECT_EQ(transfers(plan_of(graph, "data:2; zero=1", 2).stages[0]),
            (Lines{"exchange reduce_scatter 96", "exchange all_gather 96"}));
  EXPECT_EQ(transfers(plan_of(graph, "data:2; zero=2", 2).stages[0]),
            (Lines{"backward reduce_scatter 32", "backward reduce_scatter 64",
                   "exchange all_gather 96"}));
  EXPECT_EQ(transfers(plan_of(graph, "data:2; zero=3", 2).stages[0]),
            (Lines{"forward all_gather 64", "forward all_gather 32", "backward all_gather 32",
                   "backward all_gather 64", "backward reduce_scatter 32",
                   "backward reduce_scatter 64"}));
}

// 16 and 8 weights over 3 ranks are 3·6 and 3·3.
TEST(WeightShards, AreEqualAndFilledUp) {
  const Plan plan = plan_of(two_blocks(), "data:3; zero=1", 3);
  EXPECT_EQ(plan.in_shards(1, 16), 18);
  EXPECT_EQ(transfers(plan.stages[0]),
            (Lines{"exchange reduce_scatter 108", "exchange all_gather 108"}));
  EXPECT_EQ(plan_of(two_blocks(), "data:4; zero=1", 4).in_shards(1, 10), 12);
}

TEST(WeightShards, AreGatheredOnceOfAWeightThatLayersShare) {
  const Graph graph = load_model("gpt_tiny");  // the head uses the embedding's table
  const auto bytes_of = [&](const char* strategy) {
    double bytes = 0;
    const Plan plan = plan_of(graph, strategy, 2);
    for (const Item& item : plan.stages[0].items) {
      const auto* transfer = std::get_if<Transfer>(&item.what);
      if (transfer != nullptr && transfer->payload == Payload::weight) {
        bytes += transfer->bytes.value;
      }
    }
    return bytes;
  };
  constexpr double kTable = 4.0 * 256 * 64, kAll = 4.0 * 124672;
  EXPECT_EQ(bytes_of("data:2; zero=1"), kAll);
  // Forward and backward gather it for both layers.
  EXPECT_EQ(bytes_of("data:2; zero=3"), 2 * (kAll + kTable));
}

// A head with a bias of its own, as BERT's is.
TEST(WeightShards, AreGatheredOnceOfAWeightThatALayerSharesBesideOneOfItsOwn) {
  GraphBuilder builder("tied");
  LayerId last = builder.input(shape_of(10));
  for (const char* name : {"fc1", "fc2"}) {
    last = builder.add(name, "dense", {last}, {{"features", std::int64_t{10}}});
  }
  builder.share(last, "weight", 1);
  builder.add("loss", "softmax_loss", {last});
  const Plan plan = plan_of(builder.finish(), "data:2; zero=1", 2);
  EXPECT_EQ(transfers(plan.stages[0]).back(), "exchange all_gather 480");  // 4·(100 + 10 + 10)
}

TEST(WeightShards, StayWholeFromForwardToBackwardUnlessTheyAreGivenUp) {
  const Plan plan = plan_of(two_blocks(), "data:2; zero=3; reshard=off", 2);
  EXPECT_EQ(transfers(plan.stages[0]),
            (Lines{"forward all_gather 64", "forward all_gather 32", "backward reduce_scatter 32",
                   "backward reduce_scatter 64"}));
  const auto gathered = [](const char* strategy) {
    const Graph graph = load_model("gpt_tiny");
    return footprint(graph, plan_of(graph, strategy, 4), flat_cluster()).of(MemoryUse::gathered);
  };
  // All of the weights are whole at the turn; of a pipeline's stage while any micro-batch is there.
  EXPECT_EQ(gathered("data:2; zero=3; reshard=off"), Bytes{4.0 * (124672 + 256 * 64)});
  EXPECT_LT(gathered("data:2; zero=3"), gathered("data:2; zero=3; reshard=off"));
}

// ZeRO-2 that sums once a step is ZeRO-1, and ZeRO-1 that sums in each micro-batch is ZeRO-2.
TEST(WeightShards, HaveGradientsSummedEachStepOrMicroBatch) {
  const Graph graph = two_blocks();
  const auto of = [&](const std::string& strategy) {
    return transfers(plan_of(graph, "data:2; micro_batches=2; " + strategy, 4).stages[0]);
  };
  EXPECT_EQ(of("zero=2; sync=step"), of("zero=1"));
  EXPECT_EQ(of("zero=1; sync=micro_batch"), of("zero=2"));
  EXPECT_EQ(of("zero=0; sync=step"), of("zero=0"));
  EXPECT_EQ(of("zero=2; sync=micro_batch"), of("zero=2"));
  EXPECT_EQ(of("zero=0; sync=micro_batch"),
            (Lines{"backward all_reduce 32", "backward all_reduce 64"}));
  EXPECT_EQ(of("zero=3; sync=step"),
            (Lines{"forward all_gather 64", "forward all_gather 32", "backward all_gather 32",
                   "backward all_gather 64", "exchange reduce_scatter 96"}));
}

TEST(WeightShards, TakeTheMemoryOfWhatIsSummedLate) {
  const Graph graph = load_model("gpt_tiny");
  const auto gradients = [&](const char* strategy) {
    const Plan plan = plan_of(graph, std::string("data:4; micro_batches=2; ") + strategy, 8);
    return footprint(graph, plan, flat_cluster()).of(MemoryUse::gradients).value;
  };
  EXPECT_EQ(gradients("zero=3; sync=step"), 4.0 * 124672);
  EXPECT_EQ(gradients("zero=2; sync=step"), gradients("zero=1"));
  EXPECT_EQ(gradients("zero=1; sync=micro_batch"), gradients("zero=2"));
  EXPECT_EQ(gradients("zero=3"), 124672);
}

// Over 2 of 4 ranks: of 16 and 8 weights shards of 8 and 4.
TEST(WeightShards, HaveCopiesOverWhichShardsAreSummed) {
  const Graph graph = two_blocks();
  const auto of = [&](const char* strategy) {
    const Plan plan = plan_of(graph, strategy, 4);
    EXPECT_EQ(plan.degrees, (std::vector<std::int64_t>{2, 2}));
    EXPECT_EQ(plan.replica_axes, 1U);
    EXPECT_EQ(plan.shards(1), 2);
    for (const Item& item : plan.stages[0].items) {
      const auto* transfer = std::get_if<Transfer>(&item.what);
      if (transfer == nullptr) continue;
      const bool in_shards = transfer->collective != Collective::all_reduce;
      EXPECT_EQ(transfer->axes, in_shards ? 2U : 1U) << strategy;
    }
    return transfers(plan.stages[0]);
  };
  EXPECT_EQ(
      of("data:4; zero=1; shard=2"),
      (Lines{"exchange reduce_scatter 96", "exchange all_reduce 48", "exchange all_gather 96"}));
  EXPECT_EQ(
      of("data:4; zero=2; shard=2"),
      (Lines{"backward reduce_scatter 32", "backward all_reduce 16", "backward reduce_scatter 64",
             "backward all_reduce 32", "exchange all_gather 96"}));
  EXPECT_EQ(of("data:4; zero=3; shard=2"),
            (Lines{"forward all_gather 64", "forward all_gather 32", "backward all_gather 32",
                   "backward all_gather 64", "backward reduce_scatter 32", "backward all_reduce 16",
                   "backward reduce_scatter 64", "backward all_reduce 32"}));
  EXPECT_EQ(
      of("data:4; zero=3; shard=2; sync=step"),
      (Lines{"forward all_gather 64", "forward all_gather 32", "backward all_gather 32",
             "backward all_gather 64", "exchange reduce_scatter 96", "exchange all_reduce 48"}));
  EXPECT_EQ(of("data:2,data:2; zero=1; shard=2"), of("data:4; zero=1; shard=2"));
}

TEST(WeightShards, AreNothingOnOneRank) {
  EXPECT_TRUE(transfers(plan_of(two_blocks(), "serial; zero=3", 2).stages[0]).empty());
}

// The second unit's weights come while the first computes; backward of the first waits for its own.
TEST(WeightShards, AreGatheredOneUnitAhead) {
  const Graph graph = load_model("gpt_tiny");
  const Plan plan = plan_of(graph, "data:2; zero=3", 2);
  const Stage& stage = plan.stages[0];
  std::uint32_t gathers = 0;
  for (std::uint32_t i = 0; i < stage.backward_begin; ++i) {
    const auto* transfer = std::get_if<Transfer>(&stage.items[i].what);
    if (transfer == nullptr) continue;
    const auto needs = stage.needs_of(stage.items[i]);
    // The first two are there before anything computes.
    if (gathers++ < 2) {
      EXPECT_TRUE(needs.empty());
      continue;
    }
    ASSERT_EQ(needs.size(), 1U);
    EXPECT_LT(needs.front(), i);
    EXPECT_TRUE(std::holds_alternative<Work>(stage.items[needs.front()].what));
  }
  EXPECT_EQ(gathers, 4U);  // embedding, two blocks, head
}

TEST(WeightShards, TakeLessMemoryTheMoreIsSharded) {
  const Graph graph = load_model("gpt_tiny");
  double before = 1e30;
  for (const char* zero : {"0", "1", "2", "3"}) {
    Plan plan = plan_of(graph, "data:4; zero=" + std::string(zero), 4);
    plan.training.optimizer = optimizer_named("adam");
    const double needed = footprint(graph, plan, flat_cluster()).total().value;
    EXPECT_LT(needed, before) << zero;
    before = needed;
  }
}

}  // namespace weight_shards_test
}  // namespace oracle
