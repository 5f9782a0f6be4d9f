#include "oracle/memory/footprint.h"

#include <gtest/gtest.h>

#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace footprint_test {

using enum MemoryUse;

Footprint footprint_of(const Graph& graph, std::string_view strategy, const Training& training,
                       const Cluster& cluster = flat_cluster()) {
  const auto plan = partition(graph, parse_strategy(strategy), training, cluster);
  return footprint(graph, std::get<Plan>(plan), cluster);
}

Footprint footprint_of(const Graph& graph, std::string_view strategy, std::int64_t batch) {
  return footprint_of(graph, strategy, training_of(batch));
}

TEST(Footprint, OfOneDenseLayer) {
  const Footprint memory = footprint_of(dense_chain({4096, 4096}), "serial", 32);
  EXPECT_EQ(memory.of(weights).value, 4096.0 * 4096 * 4);
  EXPECT_EQ(memory.of(gradients).value, 4096.0 * 4096 * 4);
  EXPECT_EQ(memory.of(optimizer).value, 0);
  // Backward of the loss: the kept input, the scores and their gradient are alive.
  EXPECT_EQ(memory.of(activations).value, 2 * 32 * 4096 * 4);
  EXPECT_EQ(memory.of(activation_gradients).value, 32 * 4096 * 4);
  EXPECT_EQ(memory.of(communication).value, 0);
  EXPECT_EQ(memory.of(workspace).value, 0);
  EXPECT_EQ(memory.total().value, 2 * 4096.0 * 4096 * 4 + 3 * 32 * 4096 * 4);
  EXPECT_EQ(memory.available, Bytes{16e9});
}

/// As long as no rank has only a shard of them.
TEST(Footprint, OfBucketsThatGradientsAreCopiedInto) {
  const Graph graph = dense_chain({100, 50});
  Training training = training_of(8);
  const auto held = [&](const char* strategy) {
    return footprint_of(graph, strategy, training).of(buckets).value;
  };
  EXPECT_EQ(held("data:4"), 0);
  training.framework.copies_buckets = true;
  EXPECT_EQ(held("serial"), 0);
  EXPECT_EQ(held("filter:2"), 0);
  EXPECT_EQ(held("data:4"), 100 * 50 * 4);
  EXPECT_EQ(held("data:4; zero=1"), 100 * 50 * 4);
  EXPECT_EQ(held("data:4; zero=2"), 0);
}

TEST(Footprint, OfParametersByPrecisionAndOptimizer) {
  Cluster cluster = flat_cluster();
  for (FlopRate& peak : cluster.device.peak) peak = FlopRate{1e13};
  const Graph graph = dense_chain({100, 50});
  struct Row {
    const char* precision;
    const char* rule;
    double weights, gradients, optimizer;
  };
  for (const Row& row : {Row{"fp32", "sgd", 4, 4, 0}, Row{"fp32", "momentum", 4, 4, 4},
                         Row{"tf32", "adam", 4, 4, 8}, Row{"fp16", "adam", 2, 2, 12},
                         Row{"bf16", "momentum", 2, 2, 8}, Row{"bf16", "adam8bit", 2, 2, 6}}) {
    const Footprint memory =
        footprint_of(graph, "serial", training_of(8, row.precision, row.rule), cluster);
    EXPECT_EQ(memory.of(weights).value, 5000 * row.weights) << row.precision << row.rule;
    EXPECT_EQ(memory.of(gradients).value, 5000 * row.gradients) << row.precision << row.rule;
    EXPECT_EQ(memory.of(optimizer).value, 5000 * row.optimizer) << row.precision << row.rule;
  }
}

TEST(Footprint, MixedPrecisionHalvesActivations) {
  Cluster cluster = flat_cluster();
  for (FlopRate& peak : cluster.device.peak) peak = FlopRate{1e13};
  const Graph graph = dense_chain({64, 64, 64}, true);
  const Footprint single = footprint_of(graph, "serial", training_of(8), cluster);
  const Footprint half = footprint_of(graph, "serial", training_of(8, "fp16"), cluster);
  EXPECT_EQ(half.of(activations) * 2, single.of(activations));
  EXPECT_EQ(half.of(activation_gradients) * 2, single.of(activation_gradients));
}

TEST(Footprint, DataParallelismKeepsAllParameters) {
  const Graph resnet = load_model(ORACLE_SOURCE_DIR "/models/resnet50.json");
  const Footprint memory = footprint_of(resnet, "data:8", training_of(64, "fp32", "momentum"));
  EXPECT_EQ(memory.of(weights).value, 25'557'032.0 * 4);
  EXPECT_EQ(memory.of(gradients).value, 25'557'032.0 * 4);
  EXPECT_EQ(memory.of(optimizer).value, 25'557'032.0 * 4);
  const Footprint alone = footprint_of(resnet, "data:8; overlap=off", training_of(64));
  EXPECT_EQ(alone.of(activations), footprint_of(resnet, "serial", 8).of(activations));
}

TEST(Footprint, FilterParallelismDividesParameters) {
  const Graph graph = dense_chain({64, 64, 64, 64});
  for (const char* strategy : {"filter:4", "tensor:4"}) {
    EXPECT_EQ(footprint_of(graph, strategy, 8).of(weights).value, 3 * 64 * 64 * 4 / 4) << strategy;
  }
}

TEST(Footprint, GpipeHoldsEveryMicroBatch) {
  // The second stage of two keeps the inputs of its dense layers and of the loss: 3·64 features of
  // 4 samples. Under 1F1B more micro-batches cost it nothing.
  const Graph graph = dense_chain({64, 64, 64, 64, 64});
  const auto held = [&](std::int64_t micro_batches, const std::string& schedule) {
    const std::string strategy = "pipeline:2; micro_batches=" + std::to_string(micro_batches);
    const Footprint memory =
        footprint_of(graph, strategy + "; schedule=" + schedule, 4 * micro_batches);
    return memory.of(activations).value;
  };
  EXPECT_EQ(held(9, "gpipe") - held(8, "gpipe"), 3 * 4 * 64 * 4);
  EXPECT_EQ(held(9, "1f1b") - held(8, "1f1b"), 0);
}

TEST(Footprint, OneForwardOneBackwardHoldsAMicroBatchForEachStageToCome) {
  // The wide input is kept by the first of three stages, three times at most.
  const Graph graph = dense_chain({4096, 64, 64, 64});
  const auto held = [&](std::int64_t micro_batches) {
    return footprint_of(graph, "pipeline:3; micro_batches=" + std::to_string(micro_batches),
                        4 * micro_batches)
        .of(activations)
        .value;
  };
  const double input = 4 * 4096 * 4;
  EXPECT_EQ(held(3) - held(2), input);
  EXPECT_EQ(held(4) - held(3), 0);
}

TEST(Footprint, NamesTheStageThatNeedsMost) {
  const Graph graph = dense_chain({64, 64, 64, 4096, 32});
  const Footprint memory = footprint_of(graph, "pipeline:3; micro_batches=1", 4);
  const auto plan = plan_of(graph, "pipeline:3; micro_batches=1", 4);
  double most = 0;
  std::size_t stage = 0;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    double elements = 0;
    for (LayerId id = plan.stages[s].first; id < plan.stages[s].last; ++id) {
      elements += static_cast<double>(graph[id].parameters());
    }
    if (elements > most) {
      most = elements;
      stage = s;
    }
  }
  EXPECT_EQ(memory.stage, stage);
  EXPECT_EQ(memory.of(weights).value, 4 * most);
}

TEST(Footprint, ABucketIsHeldFromWhenItsLastGradientIsMade) {
  // Backward of fc2 makes the gradients of 192 weights, 768 bytes; then the 16 features of fc1's
  // output and its gradient are alive, and the 8 of the input.
  const Graph graph = dense_chain({8, 16, 12});
  const Footprint early = footprint_of(graph, "data:4; bucket=0 B", 4);
  EXPECT_EQ(early.of(communication).value, 768);
  EXPECT_EQ(early.of(activations).value, 4 * 8);
  EXPECT_EQ(early.of(activation_gradients).value, 4 * 16);
  // After all of backward nothing else is alive.
  const Footprint late = footprint_of(graph, "data:4; bucket=0 B; overlap=off", 4);
  EXPECT_EQ(late.of(communication).value, 768);
  EXPECT_EQ(late.of(activations).value, 0);
}

TEST(Footprint, WorkspaceIsOfTheOrderOfTheInputAndBounded) {
  GraphBuilder builder("net");
  LayerId last = builder.input(shape_of(4, {64, 64}));
  last = builder.add("conv1", "convolution", {last}, conv3x3(8));
  last = builder.add("conv2", "convolution", {last}, conv3x3(8));
  builder.add("loss", "softmax_loss", {last});
  const Graph graph = builder.finish();
  EXPECT_EQ(footprint_of(graph, "serial", 2).of(workspace).value, 4.0 * 8 * 64 * 64 * 2);
  EXPECT_EQ(footprint_of(graph, "serial", 8192).of(workspace).value, 256.0 * 1024 * 1024);
}

/// A rank's stages, turn by turn: all that is kept, with one more while it runs.
TEST(Footprint, OfARankWithSeveralStagesFollowsItsOrder) {
  const Graph graph = dense_chain({64, 48, 64, 32, 64, 48, 64, 32, 16});
  const Cluster cluster = flat_cluster();
  for (const std::int64_t micro_batches : {2, 4, 6, 40}) {
    const Strategy strategy =
        parse_strategy("pipeline:2; chunks=3; micro_batches=" + std::to_string(micro_batches));
    const Plan plan =
        std::get<Plan>(partition(graph, strategy, training_of(micro_batches), cluster));
    std::vector<StageNeed> needs;
    for (std::size_t s = 0; s < 6; ++s) needs.push_back(stage_need(graph, plan, s, cluster));
    for (std::size_t rank = 0; rank < 2; ++rank) {
      Bytes state, most;
      std::array<double, 3> held{};
      for (std::size_t c = 0; c < 3; ++c) {
        const Footprint& one = needs[2 * c + rank].one;
        state += one.of(weights) + one.of(casts) + one.of(gradients) + one.of(optimizer);
      }
      for (const Turn& turn : rank_order(plan.pipeline(), static_cast<std::int64_t>(rank))) {
        const auto own = static_cast<std::size_t>(turn.chunk);
        if (!turn.is_forward()) --held[own];
        const Footprint& one = needs[2 * own + rank].one;
        Bytes sum = state + one.of(activations) + one.of(activation_gradients) +
                    one.of(communication) + one.of(workspace) + one.of(context);
        for (std::size_t c = 0; c < 3; ++c) sum += needs[2 * c + rank].kept.total() * held[c];
        most = std::max(most, sum);
        if (turn.is_forward()) ++held[own];
      }
      EXPECT_DOUBLE_EQ(footprint_of(needs, plan, rank).total().value, most.value) << micro_batches;
    }
  }
}

/// Turn by turn: micro-batches whose backward has not begun, those that wait for its second turn,
/// and the one that runs.
TEST(Footprint, OfARankWithTwoTurnsOfBackwardFollowsItsOrder) {
  const Graph graph = dense_chain({64, 48, 64, 32, 64, 48, 64, 32, 16});
  const Cluster cluster = flat_cluster();
  for (const char* schedule : {"zb_h1", "zb_h2"}) {
    for (const std::int64_t micro_batches : {1, 3, 8, 40}) {
      const Strategy strategy = parse_strategy(
          "pipeline:3; micro_batches=" + std::to_string(micro_batches) + "; schedule=" + schedule);
      const Plan plan =
          std::get<Plan>(partition(graph, strategy, training_of(micro_batches), cluster));
      const std::vector<StageNeed> needs = stage_needs(graph, plan, cluster);
      for (std::size_t rank = 0; rank < 3; ++rank) {
        const StageNeed& need = needs[rank];
        double held = 0, waiting = 0;
        Bytes most;
        for (const Turn& turn : rank_order(plan.pipeline(), static_cast<std::int64_t>(rank))) {
          const bool later = turn.kind == TurnKind::weights;
          if (turn.kind == TurnKind::backward) --held;
          if (later) --waiting;
          const Bytes own = later ? need.weights_peak.total()
                                  : need.one.total() - need.one.of(weights) -
                                        need.one.of(gradients) - need.one.of(optimizer);
          most = std::max(most, own + need.kept.total() * held + need.waiting.total() * waiting);
          if (turn.is_forward()) ++held;
          if (turn.kind == TurnKind::backward) ++waiting;
        }
        const Footprint whole = footprint_of(needs, plan, rank);
        const Bytes state = whole.of(weights) + whole.of(gradients) + whole.of(optimizer);
        EXPECT_DOUBLE_EQ((whole.total() - state).value, most.value) << schedule << micro_batches;
      }
    }
  }
}

TEST(Footprint, TheAllocatorHoldsMoreThanIsAllocated) {
  const Graph graph = dense_chain({64, 64});
  Cluster cluster = flat_cluster();
  cluster.device.reserved = Bytes{1e9};
  Training training = training_of(4);
  Footprint memory = footprint_of(graph, "serial", training, cluster);
  EXPECT_EQ(memory.allocated(), memory.total() - Bytes{1e9});
  EXPECT_EQ(memory.most_reserved, memory.allocated());
  EXPECT_EQ(memory.needed(), memory.total());
  EXPECT_EQ(memory.room(), memory.available - Bytes{1e9});
  training.framework.least_reserve = 0.25;
  training.framework.most_reserve = 0.5;
  memory = footprint_of(graph, "serial", training, cluster);
  EXPECT_EQ(memory.least_reserved, memory.allocated() * 1.25);
  EXPECT_EQ(memory.most_reserved, memory.allocated() * 1.5);
  EXPECT_EQ(memory.needed(), memory.total() + memory.allocated() * 0.25);
  EXPECT_EQ(memory.shown(MemoryShown::allocated), memory.allocated());
  EXPECT_EQ(memory.shown(MemoryShown::reserved), memory.allocated() * 1.375);
  EXPECT_EQ(memory.shown(MemoryShown::device), memory.allocated() * 1.375 + Bytes{1e9});
}

TEST(Footprint, NamesTheUseThatTakesMost) {
  const Graph graph = dense_chain({512, 512});
  EXPECT_EQ(footprint_of(graph, "serial", 1).largest(), MemoryUse::weights) << "as gradients do";
  const Training adam = training_of(1, "fp32", "adam");
  EXPECT_EQ(footprint_of(graph, "serial", adam, flat_cluster()).largest(), MemoryUse::optimizer);
  EXPECT_EQ(footprint_of(graph, "serial", 100000).largest(), MemoryUse::activations);
}

TEST(Footprint, RanksOnOneDeviceShareItsMemory) {
  Cluster cluster = flat_cluster();
  cluster.ranks_per_device = 4;
  cluster.device.reserved = Bytes{1e9};
  const Footprint memory = footprint_of(dense_chain({64, 64}), "data:4", training_of(4), cluster);
  EXPECT_EQ(memory.available, Bytes{4e9});
  EXPECT_EQ(memory.of(context), Bytes{1e9});
}

/// Weights, gradients and momentum of 3·32·32 parameters, and outputs of two layers of 4 samples.
TEST(Footprint, WhatIsOffloadedLiesOnTheHost) {
  const Graph graph = dense_chain({32, 32, 32, 32});
  const Training training = training_of(4, "fp32", "momentum");
  const auto needs = [&](const char* strategy) {
    return footprint(graph, plan_of(graph, strategy, training), flat_cluster());
  };
  const Footprint here = needs("serial");
  const Footprint away = needs("serial; offload=optimizer+activations");
  EXPECT_EQ(here.on_host, Bytes{});
  EXPECT_EQ(here.of(MemoryUse::optimizer), Bytes{4 * 3072});
  EXPECT_EQ(away.of(MemoryUse::optimizer), Bytes{});
  EXPECT_EQ(away.on_host, Bytes{3 * 4 * 3072 + 2 * 512});
  EXPECT_EQ(away.of(MemoryUse::weights), here.of(MemoryUse::weights));
}

/// 36 KiB of a rank, and its part of a host that two have in common.
TEST(Footprint, TheHostMayBeScarcer) {
  const Graph graph = dense_chain({32, 32, 32, 32});
  Cluster cluster = flat_cluster();
  cluster.host.devices = 2;
  const auto room = [&](const char* strategy, double memory) {
    cluster.host.memory = Bytes{memory};
    return footprint(graph, plan_of(graph, strategy, training_of(4, "fp32", "momentum")), cluster);
  };
  const Footprint alone = room("serial; offload=optimizer", 12 * 3072);
  EXPECT_TRUE(alone.fits());
  EXPECT_TRUE(alone.scarcer().is_host);
  const Footprint both = room("data:2; offload=optimizer", 12 * 3072);
  EXPECT_FALSE(both.fits());
  EXPECT_EQ(both.scarcer().needed, Bytes{12 * 3072});
  EXPECT_EQ(both.scarcer().available, Bytes{6 * 3072});
  EXPECT_TRUE(room("data:2; zero=1; offload=optimizer", 12 * 3072).fits());
  EXPECT_TRUE(room("data:2", 1).fits()) << "nothing lies there";
  EXPECT_FALSE(room("data:2", 1).scarcer().is_host);
}

/// Of six layers the first stage has three, of which two keep an output for backward and one goes:
/// that of two micro-batches under way.
TEST(Footprint, TheHostHoldsWhatIsKeptOfEachMicroBatchUnderWay) {
  const Graph graph = dense_chain({32, 32, 32, 32, 32, 32, 32});
  const Plan plan = plan_of(graph, "pipeline:2; micro_batches=4; offload=activations; stages=fc4",
                            training_of(16));
  const Plan kept_here = plan_of(graph, "pipeline:2; micro_batches=4; stages=fc4", training_of(16));
  EXPECT_EQ(stage_need(graph, plan, 0, flat_cluster()).kept.on_host, Bytes{512});
  EXPECT_EQ(stage_need(graph, kept_here, 0, flat_cluster()).kept.total(),
            stage_need(graph, plan, 0, flat_cluster()).kept.total() + Bytes{512});
  const std::vector<StageNeed> needs = stage_needs(graph, plan, flat_cluster());
  EXPECT_EQ(footprint_of(needs, plan, 0).on_host, Bytes{2 * 512});
  EXPECT_EQ(footprint_of(needs, plan, 1).on_host, needs[1].kept.on_host);
}

}  // namespace footprint_test
}  // namespace oracle
