// Transfers derived for small networks, against lists and closed forms written by hand: cuts of
// samples and features. Spatial cuts, pipelines and batch norm have files of their own.

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace partition_test {

using Lines = std::vector<std::string>;

const Graph kPair = dense_chain({8, 16, 12});
const Graph kDeep = dense_chain({8, 16, 12, 20, 4}, true);

TEST(Partition, OneRankSendsNothing) {
  const Plan plan = plan_of(kDeep, "serial", 4);
  for (const Phase phase : {Phase::forward, Phase::backward, Phase::exchange}) {
    EXPECT_EQ(transfers(kDeep, plan, phase), Lines{});
  }
  EXPECT_EQ(plan.ranks(), 1);
}

TEST(Partition, RunsForwardInOrderAndBackwardInReverse) {
  EXPECT_EQ(
      works(kPair, plan_of(kPair, "data:2", 4)),
      (Lines{"forward fc1", "forward fc2", "forward loss", "backward_data loss",
             "backward_data fc2", "backward_weights fc2", "backward_weights fc1", "update all"}));
}

TEST(Partition, DataExchangesAllWeights) {
  const Plan plan = plan_of(kPair, "data:4", 10);
  EXPECT_EQ(transfers(kPair, plan, Phase::forward), Lines{});
  EXPECT_EQ(transfers(kPair, plan, Phase::backward), Lines{});
  EXPECT_EQ(transfers(kPair, plan, Phase::exchange),
            (Lines{"all_reduce{0} 1280 B of fc1: weight gradient"}));
  EXPECT_EQ(plan.pieces[1].samples, 3);
  EXPECT_EQ(plan.pieces[1].weights, 128);
  EXPECT_EQ(plan.pieces[1].redundancy, 1);
}

TEST(Partition, BucketsFollowBackward) {
  EXPECT_EQ(transfers(kPair, plan_of(kPair, "data:4; bucket=0 B", 4), Phase::exchange),
            (Lines{"all_reduce{0} 768 B of fc2: weight gradient",
                   "all_reduce{0} 512 B of fc1: weight gradient"}));
}

TEST(Partition, FilterGathersForwardAndScattersBackward) {
  const Plan plan = plan_of(kPair, "filter:4", 2);
  EXPECT_EQ(
      transfers(kPair, plan, Phase::forward),
      (Lines{"all_gather{0} 128 B of fc1: activation", "all_gather{0} 96 B of fc2: activation"}));
  EXPECT_EQ(transfers(kPair, plan, Phase::backward),
            (Lines{"reduce_scatter{0} 128 B of fc1: activation gradient"}));
  EXPECT_EQ(transfers(kPair, plan, Phase::exchange), Lines{});
  EXPECT_EQ(plan.pieces[2].weights, 16 * 12 / 4);
  EXPECT_EQ(plan.pieces[2].output.channels(), 3);
  EXPECT_EQ(plan.pieces[2].input.channels(), 16);
  EXPECT_EQ(plan.pieces[2].samples, 2);
  EXPECT_EQ(plan.pieces[3].redundancy, 4);
}

TEST(Partition, FilterKeepsActivationsApart) {
  // relu works on its own features, so the gather comes after it and the scatter before it.
  const Graph graph = dense_chain({8, 16, 12}, true);
  const Plan plan = plan_of(graph, "filter:4", 2);
  EXPECT_EQ(
      transfers(graph, plan, Phase::forward),
      (Lines{"all_gather{0} 128 B of relu1: activation", "all_gather{0} 96 B of fc2: activation"}));
  EXPECT_EQ(transfers(graph, plan, Phase::backward),
            (Lines{"reduce_scatter{0} 128 B of relu1: activation gradient"}));
}

TEST(Partition, FilterWithWholeLayersBetweenReducesBackward) {
  const Graph graph = dense_chain({8, 16, 12}, true);
  const Plan plan = plan_of(graph, "filter:4; relu*=none", 2);
  EXPECT_EQ(
      transfers(graph, plan, Phase::forward),
      (Lines{"all_gather{0} 128 B of fc1: activation", "all_gather{0} 96 B of fc2: activation"}));
  EXPECT_EQ(transfers(graph, plan, Phase::backward),
            (Lines{"all_reduce{0} 128 B of relu1: activation gradient"}));
}

TEST(Partition, FilterSendsWhatParaDlCounts) {
  // 3 (p − 1) Σ_{l<G} B|y_l|δ/p over the layers but the last, whose output goes to the loss; twelve
  // features cut in four, and so on. Kahira et al., HPDC 2021.
  const std::int64_t p = 4, batch = 32;
  const Plan plan = plan_of(kDeep, "filter:4; relu*=none", batch);
  const double between = static_cast<double>(batch * (16 + 12 + 20) * 4);
  const double last = static_cast<double>(batch * 4 * 4);
  const double sent = sent_in(plan, Phase::forward) + sent_in(plan, Phase::backward);
  EXPECT_DOUBLE_EQ(sent, (3 * between + last) * (p - 1) / p);
}

TEST(Partition, ChannelReducesForwardAndGathersBackward) {
  const Plan plan = plan_of(kPair, "channel:4", 2);
  EXPECT_EQ(transfers(kPair, plan, Phase::forward),
            (Lines{"all_reduce{0} 96 B of fc2: activation"}));
  EXPECT_EQ(transfers(kPair, plan, Phase::backward),
            (Lines{"all_gather{0} 128 B of fc1: activation gradient"}));
  EXPECT_EQ(plan.pieces[1].weights, 128);  // the first layer stays whole
  EXPECT_EQ(plan.pieces[2].weights, 48);
  EXPECT_EQ(plan.pieces[2].reduction, 4);
  EXPECT_EQ(plan.pieces[2].input.channels(), 4);
  EXPECT_EQ(plan.pieces[2].output.channels(), 12);
}

TEST(Partition, ChannelScattersSumsWhereActivationsFollow) {
  const Graph graph = dense_chain({8, 16, 12, 20}, true);
  const Plan plan = plan_of(graph, "channel:4", 2);
  EXPECT_EQ(transfers(graph, plan, Phase::forward),
            (Lines{"reduce_scatter{0} 96 B of fc2: activation",
                   "all_reduce{0} 160 B of fc3: activation"}));
  EXPECT_EQ(transfers(graph, plan, Phase::backward),
            (Lines{"all_gather{0} 96 B of fc2: activation gradient",
                   "all_gather{0} 128 B of relu1: activation gradient"}));
}

TEST(Partition, TensorNeedsOneAllReducePerPair) {
  // Two pairs: the sum after either forward; backward into the second pair only, for no one wants
  // the gradient of the network's input.
  for (const bool relu : {false, true}) {
    const Graph graph = dense_chain({8, 16, 12, 20, 4}, relu);
    const Plan plan = plan_of(graph, "tensor:4", 2);
    EXPECT_EQ(
        transfers(graph, plan, Phase::forward),
        (Lines{"all_reduce{0} 96 B of fc2: activation", "all_reduce{0} 32 B of fc4: activation"}));
    EXPECT_EQ(transfers(graph, plan, Phase::backward),
              (Lines{relu ? "all_reduce{0} 96 B of relu2: activation gradient"
                          : "all_reduce{0} 96 B of fc2: activation gradient"}));
    EXPECT_EQ(transfers(graph, plan, Phase::exchange), Lines{});
  }
}

TEST(Partition, HybridExchangesGradientsAmongReplicasOfAPart) {
  const Plan plan = plan_of(kPair, "data:2,filter:4", 8);
  EXPECT_EQ(
      transfers(kPair, plan, Phase::forward),
      (Lines{"all_gather{1} 256 B of fc1: activation", "all_gather{1} 192 B of fc2: activation"}));
  EXPECT_EQ(transfers(kPair, plan, Phase::backward),
            (Lines{"reduce_scatter{1} 256 B of fc1: activation gradient"}));
  EXPECT_EQ(transfers(kPair, plan, Phase::exchange),
            (Lines{"all_reduce{0} 320 B of fc1: weight gradient"}));
}

TEST(Partition, HybridSendsWhatGholamiCounts) {
  // P = Pr·Pc, layer i with d_i outputs and |W_i| weights:
  //   all-gathers Σ (B/Pc)(Pr−1)/Pr·d_i, all-reduces 2 Σ_{i≥2} (B/Pc)(Pr−1)/Pr·d_{i−1} and
  //   2 Σ (Pc−1)/Pc·|W_i|/Pr.                    Gholami et al., SPAA 2018
  const double batch = 48, element = 4;
  for (const auto& [pc, pr] : {std::pair{1.0, 4.0}, {2.0, 2.0}, {4.0, 1.0}, {3.0, 4.0}}) {
    const std::string data = "data:" + std::to_string(static_cast<int>(pc));
    const std::string model = std::to_string(static_cast<int>(pr));
    const Plan plan =
        plan_of(kDeep, data + ",filter:" + model + "; relu*=" + data + ",whole:" + model, 48);
    const double outputs = 16 + 12 + 20 + 4, inner = 16 + 12 + 20;
    const double weights = 8 * 16 + 16 * 12 + 12 * 20 + 20 * 4;
    EXPECT_NEAR(sent_in(plan, Phase::forward), element * batch / pc * (pr - 1) / pr * outputs,
                1e-9);
    EXPECT_NEAR(sent_in(plan, Phase::backward), element * 2 * batch / pc * (pr - 1) / pr * inner,
                1e-9);
    EXPECT_NEAR(sent_in(plan, Phase::exchange), element * 2 * (pc - 1) / pc * weights / pr, 1e-9);
  }
}

TEST(Partition, OneWeirdTrickReshardsAtTheFirstDenseLayer) {
  // Convolutions by sample, dense layers by filter. The 9216 features of pool5 change hands once
  // each way; 2,469,696 parameters of the convolutions are exchanged. Krizhevsky, arXiv 1404.5997.
  const Graph alexnet = load_model(ORACLE_SOURCE_DIR "/models/alexnet.json");
  const Plan plan = plan_of(alexnet, "conv*=data:4; fc*=filter:4", 128);
  EXPECT_EQ(transfers(alexnet, plan, Phase::forward),
            (Lines{"all_gather{0} 4718592 B of dropout6: activation",
                   "all_gather{0} 2097152 B of dropout7: activation",
                   "all_gather{0} 2097152 B of relu7: activation",
                   "all_gather{0} 512000 B of fc8: activation"}));
  EXPECT_EQ(transfers(alexnet, plan, Phase::backward),
            (Lines{"reduce_scatter{0} 2097152 B of relu7: activation gradient",
                   "reduce_scatter{0} 2097152 B of dropout7: activation gradient",
                   "reduce_scatter{0} 4718592 B of dropout6: activation gradient"}));
  EXPECT_EQ(transfers(alexnet, plan, Phase::exchange),
            (Lines{"all_reduce{0} 9878784 B of conv1: weight gradient"}));
  EXPECT_EQ(plan.pieces[id_of(alexnet, "pool5")].samples, 32);
  EXPECT_EQ(plan.pieces[id_of(alexnet, "fc7")].samples, 128);
}

TEST(Partition, DataThenFilterOnAFinerMesh) {
  // The dense layers keep two groups of samples: only the inner axis gathers.
  const Plan plan = plan_of(kPair, "fc1=data:8; fc2=data:2,filter:4", 16);
  EXPECT_EQ(
      transfers(kPair, plan, Phase::forward),
      (Lines{"all_gather{1} 512 B of fc1: activation", "all_gather{1} 384 B of fc2: activation"}));
  EXPECT_EQ(transfers(kPair, plan, Phase::backward),
            (Lines{"reduce_scatter{1} 512 B of fc1: activation gradient"}));
  EXPECT_EQ(transfers(kPair, plan, Phase::exchange),
            (Lines{"all_reduce{0} 192 B of fc2: weight gradient",
                   "all_reduce{0,1} 512 B of fc1: weight gradient"}));
}

/// conv0 feeds two branches (or one and itself) that are added up.
Graph fork(bool identity) {
  GraphBuilder builder("fork");
  const LayerId stem =
      builder.add("stem", "convolution", {builder.input(shape_of(2, {4, 4}))}, conv1x1(4));
  const LayerId a = builder.add("a", "convolution", {stem}, conv1x1(4));
  const LayerId b = identity ? stem : builder.add("b", "convolution", {stem}, conv1x1(4));
  builder.add("loss", "softmax_loss", {builder.add("sum", "add", {a, b})});
  return builder.finish();
}

TEST(Partition, ATensorWithTwoReadersIsGatheredOnce) {
  const Graph graph = fork(false);
  const Plan plan = plan_of(graph, "filter:2", 3);
  EXPECT_EQ(
      transfers(graph, plan, Phase::forward),
      (Lines{"all_gather{0} 768 B of stem: activation", "all_gather{0} 768 B of sum: activation"}));
  // Both branches deliver partial sums, which are added before they travel.
  EXPECT_EQ(transfers(graph, plan, Phase::backward),
            (Lines{"reduce_scatter{0} 768 B of stem: activation gradient"}));
  const Lines work = works(graph, plan);
  EXPECT_EQ(std::count(work.begin(), work.end(), "gradient_sum stem"), 1);
}

TEST(Partition, AShortcutStaysApart) {
  const Graph graph = fork(true);
  const Plan plan = plan_of(graph, "filter:2", 3);
  EXPECT_EQ(
      transfers(graph, plan, Phase::forward),
      (Lines{"all_gather{0} 768 B of stem: activation", "all_gather{0} 768 B of sum: activation"}));
  EXPECT_EQ(transfers(graph, plan, Phase::backward),
            (Lines{"reduce_scatter{0} 768 B of stem: activation gradient"}));
}

TEST(Partition, PiecesOfUnevenCutsAreThoseOfTheLargestRank) {
  const Graph graph = dense_chain({10, 10, 6});
  const Plan filter = plan_of(graph, "filter:4", 1);
  EXPECT_EQ(filter.pieces[1].output.channels(), 3);
  EXPECT_EQ(filter.pieces[1].weights, 3 * 10);
  const Plan channel = plan_of(graph, "channel:4", 1);
  EXPECT_EQ(channel.pieces[2].reduction, 3);
  EXPECT_EQ(channel.pieces[2].weights, 3 * 6);
}

/// 3x3 with a stride of 1 and of 2 on maps of 56x56 of resnet50.
TEST(Partition, APieceReadsTheHaloOfTheRankThatReadsMost) {
  const Graph graph = load_model("resnet50");
  const auto rows = [&](const char* strategy, const char* layer) {
    const Plan plan = plan_of(graph, strategy, 8);
    const Piece& piece = plan.pieces[id_of(graph, layer)];
    EXPECT_EQ(piece.read()[Axis::width], piece.input[Axis::width]);
    return std::pair{piece.input[Axis::height], piece.read()[Axis::height]};
  };
  EXPECT_EQ(rows("height:2", "layer1.0.conv2"), std::pair(28L, 29L)) << "a neighbour on one side";
  EXPECT_EQ(rows("height:4", "layer1.0.conv2"), std::pair(14L, 16L)) << "and on both";
  EXPECT_EQ(rows("height:2", "layer2.0.conv2"), std::pair(28L, 29L)) << "by twos, from before";
  EXPECT_EQ(rows("height:2", "layer1.0.conv1"), std::pair(28L, 28L)) << "1x1";
  EXPECT_EQ(rows("filter:2", "layer1.0.conv2"), std::pair(56L, 56L));
}

TEST(Partition, UnevenChannelsKeepTheirWindowsWhole) {
  GraphBuilder builder("net");
  const LayerId first =
      builder.add("first", "convolution", {builder.input(shape_of(2, {8, 8}))}, conv3x3(10));
  builder.add("loss", "softmax_loss", {builder.add("second", "convolution", {first}, conv3x3(6))});
  const Graph graph = builder.finish();
  const Plan plan = plan_of(graph, "channel:4", 1);
  EXPECT_EQ(plan.pieces[2].reduction, 3 * 9);
  EXPECT_EQ(plan.pieces[2].weights, 3 * 9 * 6);
}

TEST(Partition, RedundancyCountsRanksThatRepeatALayer) {
  const Plan plan = plan_of(kDeep, "data:2,filter:4; fc3=none", 8);
  EXPECT_EQ(plan.pieces[id_of(kDeep, "fc1")].redundancy, 1);
  EXPECT_EQ(plan.pieces[id_of(kDeep, "fc3")].redundancy, 8);
  EXPECT_EQ(plan.pieces[id_of(kDeep, "loss")].redundancy, 4);
}

TEST(Partition, WithoutOverlapGradientsWaitForBackward) {
  for (const bool overlap : {true, false}) {
    const Plan plan =
        plan_of(kPair, std::string("data:4; bucket=0 B; overlap=") + (overlap ? "on" : "off"), 4);
    const Stage& stage = plan.stages[0];
    std::vector<std::string> waits_for;
    for (const Item& item : stage.items) {
      if (item.phase != Phase::exchange) continue;
      for (const std::uint32_t need : stage.needs_of(item)) {
        waits_for.push_back(kPair[std::get<Work>(stage.items[need].what).layer].name);
      }
    }
    EXPECT_EQ(waits_for, overlap ? (Lines{"fc2", "fc1"}) : (Lines{"fc1", "fc1"}));
  }
}

TEST(Partition, TheUpdateWaitsForEveryBucket) {
  const Plan plan = plan_of(kPair, "data:4; bucket=0 B", 4);
  const Stage& stage = plan.stages[0];
  EXPECT_EQ(stage.items.back().phase, Phase::update);
  EXPECT_EQ(stage.needs_of(stage.items.back()).size(), 3U);  // the last backward and two buckets
}

TEST(Partition, ItemsNeedEarlierItemsOnly) {
  const Graph graph = fork(false);
  for (const char* strategy : {"data:2,filter:2", "tensor:4", "height:2,width:2", "pipeline:3"}) {
    for (const Stage& stage : plan_of(graph, strategy, 8).stages) {
      for (std::uint32_t i = 0; i < stage.items.size(); ++i) {
        for (const std::uint32_t need : stage.needs_of(stage.items[i])) EXPECT_LT(need, i);
      }
    }
  }
}

TEST(Partition, FrozenLayersHaveNoGradient) {
  GraphBuilder builder("net");
  const LayerId pool = builder.add("pool", "pool", {builder.input(shape_of(2, {4, 4}))},
                                   {{"kernel", std::int64_t{2}}});
  const LayerId conv = builder.add("conv", "convolution", {pool}, conv1x1(4));
  builder.add("loss", "softmax_loss", {conv});
  const Graph graph = builder.finish();
  EXPECT_EQ(works(graph, plan_of(graph, "data:2", 2)),
            (Lines{"forward pool", "forward conv", "forward loss", "backward_data loss",
                   "backward_weights conv", "update all"}));
}

TEST(SentBytes, AreWhatOneRankPutsOnTheWire) {
  const auto sent = [](Collective collective, std::int64_t n) {
    return sent_bytes({collective, 1, Bytes{1000}, Payload::activation, 0}, n).value;
  };
  EXPECT_DOUBLE_EQ(sent(Collective::all_reduce, 4), 1500);
  EXPECT_DOUBLE_EQ(sent(Collective::reduce_scatter, 4), 750);
  EXPECT_DOUBLE_EQ(sent(Collective::all_gather, 4), 750);
  EXPECT_DOUBLE_EQ(sent(Collective::all_to_all, 4), 750);
  EXPECT_DOUBLE_EQ(sent(Collective::send_receive, 4), 1000);
  EXPECT_DOUBLE_EQ(sent(Collective::halo_exchange, 4), 1000);
}

}  // namespace partition_test
}  // namespace oracle
