#include "oracle/plan/offload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace offload_test {

using testing::ElementsAre;
using testing::IsEmpty;

/// Of 32 features, whose outputs of 4 samples are 512 bytes; each layer is a unit.
Graph chain() { return dense_chain({32, 32, 32, 32}); }

// fc1's output is read by backward of fc2, fc2's by that of fc3; what the loss reads stays.
TEST(OffloadActivations, WhatAUnitKeepsGoesAndComes) {
  const Graph graph = chain();
  const Plan plan = plan_of(graph, "serial; offload=activations", 4);
  EXPECT_THAT(
      transfers(graph, plan, Phase::forward),
      ElementsAre("to_host{} 512 B of fc1: activation", "to_host{} 512 B of fc2: activation"));
  EXPECT_THAT(
      transfers(graph, plan, Phase::backward),
      ElementsAre("from_host{} 512 B of fc2: activation", "from_host{} 512 B of fc1: activation"));
  EXPECT_THAT(transfers(graph, plan, Phase::exchange), IsEmpty());
}

TEST(OffloadActivations, OfTheFirstBlocksAlone) {
  const Graph graph = chain();
  const Plan plan = plan_of(graph, "serial; offload=activations:2", 4);
  EXPECT_THAT(transfers(graph, plan, Phase::forward),
              ElementsAre("to_host{} 512 B of fc1: activation"));
  EXPECT_THAT(transfers(graph, plan, Phase::backward),
              ElementsAre("from_host{} 512 B of fc1: activation"));
}

/// "fc2 forward", "to_host fc1", in order.
std::vector<std::string> items(const Graph& graph, const Stage& stage) {
  std::vector<std::string> names;
  for (const Item& item : stage.items) {
    if (const auto* work = std::get_if<Work>(&item.what)) {
      if (work->layer == kAllLayers) continue;
      names.push_back(graph[work->layer].name + ' ' + std::string(name_of(work->pass)));
    } else {
      const Transfer& copy = std::get<Transfer>(item.what);
      names.push_back(std::string(name_of(copy.collective)) + ' ' + graph[copy.layer].name);
    }
  }
  return names;
}

/// A copy stands behind the unit beside which it is made, and before the one whose start it begins
/// with.
TEST(OffloadActivations, CopiesAreMadeBesideTheNextUnit) {
  const Graph graph = chain();
  const Stage stage = plan_of(graph, "serial; offload=activations", 4).stages[0];
  EXPECT_THAT(items(graph, stage),
              ElementsAre("fc1 forward", "fc2 forward", "fc3 forward", "to_host fc1",
                          "loss forward", "to_host fc2", "from_host fc2", "loss backward_data",
                          "from_host fc1", "fc3 backward_data", "fc3 backward_weights",
                          "fc2 backward_data", "fc2 backward_weights", "fc1 backward_weights"));
}

std::vector<std::uint32_t> needs(const Stage& stage, std::size_t item) {
  const auto list = stage.needs_of(stage.items[item]);
  return {list.begin(), list.end()};
}

TEST(OffloadActivations, ComputingWaitsForCopiesAndCopiesForWhatTheyCopy) {
  const Graph graph = chain();
  const Stage stage = plan_of(graph, "serial; offload=activations", 4).stages[0];
  EXPECT_THAT(needs(stage, 3), ElementsAre(0U)) << "fc1's output is made";
  EXPECT_THAT(needs(stage, 4), ElementsAre(2U, 3U)) << "two units are on their way at most";
  EXPECT_THAT(needs(stage, 6), IsEmpty()) << "backward begins";
  EXPECT_THAT(needs(stage, 8), ElementsAre(7U)) << "the unit before begins";
  EXPECT_THAT(needs(stage, 10), testing::Contains(6U)) << "fc2's output is back";
  EXPECT_THAT(needs(stage, 12), testing::Contains(8U)) << "fc1's output is back";
}

/// avgpool and flatten are views of what pool5 makes, the second of them two units past it.
TEST(OffloadActivations, ACopyComesBehindWhatALaterUnitWritesInPlace) {
  const Graph graph = load_model("alexnet");
  const Stage stage = plan_of(graph, "serial; offload=activations", 4).stages[0];
  for (std::uint32_t i = 0; i < stage.items.size(); ++i) {
    EXPECT_THAT(needs(stage, i), testing::Each(testing::Lt(i))) << items(graph, stage)[i];
  }
}

/// What forward made dies with its copy; what came back is another tensor.
TEST(OffloadActivations, TensorsOnTheHostTakeNoMemoryOfTheDevice) {
  const Graph graph = chain();
  const Stage stage = plan_of(graph, "serial; offload=activations", 4).stages[0];
  const TensorId sent = stage.reads_of(stage.items[3]).front();
  const TensorId held = stage.writes_of(stage.items[3]).front();
  const TensorId back = stage.writes_of(stage.items[8]).front();
  EXPECT_TRUE(stage.tensors[held].on_host);
  EXPECT_EQ(stage.tensors[held].bytes, Bytes{512});
  EXPECT_FALSE(stage.tensors[back].on_host);
  EXPECT_NE(sent, back);
  EXPECT_THAT(stage.reads_of(stage.items[8]), ElementsAre(held));
  EXPECT_THAT(stage.reads_of(stage.items[12]), testing::Contains(back));
  for (std::size_t i = stage.backward_begin; i < stage.backward_end.items; ++i) {
    EXPECT_THAT(stage.reads_of(stage.items[i]), testing::Not(testing::Contains(sent)));
  }
}

// 32·32 parameters of 4 bytes each layer.
TEST(OffloadOptimizer, GradientsGoDownAndWeightsComeBack) {
  const Graph graph = chain();
  const Plan plan = plan_of(graph, "serial; offload=optimizer; bucket=4 KiB", 4);
  EXPECT_THAT(transfers(graph, plan, Phase::exchange),
              ElementsAre("to_host{} 4096 B of fc3: weight gradient",
                          "to_host{} 4096 B of fc2: weight gradient",
                          "to_host{} 4096 B of fc1: weight gradient",
                          "from_host{} 12288 B of fc3: weight"));
}

/// Each rank its shard, once it is summed; weights are gathered once they are back.
TEST(OffloadOptimizer, ShardsGoOnceTheyAreSummed) {
  const Graph graph = chain();
  const Plan plan = plan_of(graph, "data:4; zero=1; offload=optimizer", 4);
  EXPECT_THAT(
      transfers(graph, plan, Phase::exchange),
      ElementsAre("reduce_scatter{0} 12288 B of fc1: weight gradient",
                  "to_host{} 3072 B of fc1: weight gradient", "from_host{} 3072 B of fc3: weight",
                  "all_gather{0} 12288 B of loss: weight"));
  const Stage& stage = plan.stages[0];
  const auto last = static_cast<std::uint32_t>(stage.items.size() - 1);
  EXPECT_THAT(needs(stage, last), testing::Contains(last - 1));
}

/// Sums within backward are over before what they make goes down.
TEST(OffloadOptimizer, WaitsForSumsOfEachMicroBatch) {
  const Graph graph = chain();
  for (const char* strategy :
       {"data:4; zero=2; offload=optimizer", "data:4; zero=3; shard=2; offload=optimizer"}) {
    const Stage stage = plan_of(graph, strategy, 4).stages[0];
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < stage.items.size(); ++i) {
      const auto* transfer = std::get_if<Transfer>(&stage.items[i].what);
      if (transfer == nullptr || transfer->payload != Payload::weight_gradient) continue;
      if (!crosses_host_link(*transfer)) sum = i;
      if (transfer->collective == Collective::to_host) {
        EXPECT_THAT(needs(stage, i), testing::Contains(sum)) << strategy;
      }
    }
    EXPECT_GT(sum, 0U);
  }
}

TEST(Offload, AProcessorHasNoHost) {
  Cluster cluster = flat_cluster();
  cluster.device.device_class = DeviceClass::cpu;
  for (const char* strategy : {"serial; offload=optimizer", "serial; offload=activations"}) {
    const auto plan = partition(chain(), parse_strategy(strategy), training_of(4), cluster);
    EXPECT_EQ(std::get<Infeasible>(plan).constraint, Constraint::host);
  }
}

/// What backward's second turn reads would have to come for it, too.
TEST(OffloadActivations, ComeBackForOneTurnOfBackward) {
  const auto planned = [](const std::string& offload) {
    return partition(chain(),
                     parse_strategy("pipeline:2; micro_batches=2; schedule=zb_h1" + offload),
                     training_of(4), flat_cluster());
  };
  EXPECT_TRUE(std::holds_alternative<Plan>(planned("; offload=optimizer")));
  const auto refused = planned("; offload=activations");
  ASSERT_TRUE(std::holds_alternative<Infeasible>(refused));
  EXPECT_NE(to_text(std::get<Infeasible>(refused)).find("write schedule=1f1b"), std::string::npos);
}

}  // namespace offload_test
}  // namespace oracle
