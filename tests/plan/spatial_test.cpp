// Plans that cut positions: halos, corners, global pooling, batch norm and gates.

#include <gtest/gtest.h>

#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace spatial_test {

using Lines = std::vector<std::string>;

Graph two_convolutions(const std::vector<std::int64_t>& extents) {
  GraphBuilder builder("net");
  const LayerId first =
      builder.add("conv1", "convolution", {builder.input(shape_of(2, extents))}, conv3x3(3));
  const LayerId second = builder.add("conv2", "convolution", {first}, conv3x3(3));
  builder.add("loss", "softmax_loss", {second});
  return builder.finish();
}

TEST(Spatial, HalosTravelAxisByAxisWithTheCornersOfTheLast) {
  // Pieces of 4×4 in a 3×3 grid grow to 6×4 and then to 6×6; 5 samples of 2 channels, then 3.
  const Graph graph = two_convolutions({12, 12});
  const Plan plan = plan_of(graph, "height:3,width:3", 5);
  EXPECT_EQ(transfers(graph, plan, Phase::forward),
            (Lines{"halo_exchange{0} 320 B of input: activation",
                   "halo_exchange{1} 480 B of input: activation",
                   "halo_exchange{0} 480 B of conv1: activation",
                   "halo_exchange{1} 720 B of conv1: activation"}))
      << "the loss sums over the positions it is given, so nothing is gathered";
  EXPECT_EQ(transfers(graph, plan, Phase::backward),
            (Lines{"halo_exchange{0} 480 B of conv2: activation gradient",
                   "halo_exchange{1} 720 B of conv2: activation gradient"}));
  EXPECT_EQ(transfers(graph, plan, Phase::exchange),
            (Lines{"all_reduce{0,1} 540 B of conv1: weight gradient"}));
  EXPECT_EQ(plan.pieces[2].input, shape_of(3, {4, 4}));
}

TEST(Spatial, OfTwoSlabsEachHasOneNeighbour) {
  const Graph graph = two_convolutions({8, 8});
  const Plan plan = plan_of(graph, "height:2,width:2", 1);
  // 4×4 grows by one row to 5×4, by one column to 5×5.
  EXPECT_EQ(transfers(graph, plan, Phase::backward),
            (Lines{"halo_exchange{0} 48 B of conv2: activation gradient",
                   "halo_exchange{1} 60 B of conv2: activation gradient"}));
}

TEST(Spatial, APoolsHaloComesBackAsTheInputsGradient) {
  // Windows of 3 with stride 2: of 8 rows the lower four need one of the upper, 4 columns wide and
  // then 5 for the corner. Its gradient travels back, the columns first.
  GraphBuilder builder("net");
  LayerId last =
      builder.add("conv", "convolution", {builder.input(shape_of(2, {8, 8}))}, conv1x1(3));
  last = builder.add(
      "pool", "pool", {last},
      {{"kernel", std::int64_t{3}}, {"stride", std::int64_t{2}}, {"pad", std::int64_t{1}}});
  builder.add("loss", "softmax_loss", {last});
  const Graph graph = builder.finish();
  const Plan plan = plan_of(graph, "height:2,width:2", 1);
  EXPECT_EQ(transfers(graph, plan, Phase::forward),
            (Lines{"halo_exchange{0} 48 B of conv: activation",
                   "halo_exchange{1} 60 B of conv: activation"}));
  EXPECT_EQ(transfers(graph, plan, Phase::backward),
            (Lines{"halo_exchange{1} 60 B of conv: activation gradient",
                   "halo_exchange{0} 48 B of conv: activation gradient"}));
}

TEST(Spatial, AxesThatCutTheSameWayExchangeOnce) {
  // The dense layer splits the four slabs' axis in two; the slabs are the same.
  GraphBuilder builder("net");
  LayerId last =
      builder.add("conv", "convolution", {builder.input(shape_of(2, {16, 16}))}, conv3x3(4));
  last = builder.add("flatten", "flatten", {last});
  last = builder.add("fc", "dense", {last}, {{"features", std::int64_t{8}}});
  builder.add("loss", "softmax_loss", {last});
  const Graph graph = builder.finish();
  const Plan one = plan_of(graph, "height:4; fc=none", 4);
  const Plan two = plan_of(graph, "conv=height:4; fc=data:2,filter:2", 4);
  EXPECT_EQ(transfers(graph, one, Phase::forward)[0],
            "halo_exchange{0} 1024 B of input: activation");
  EXPECT_EQ(transfers(graph, two, Phase::forward)[0],
            "halo_exchange{0,1} 1024 B of input: activation");
  EXPECT_EQ(transfers(graph, two, Phase::forward)[1],
            "all_gather{0,1} 16384 B of conv: activation");
}

TEST(Spatial, IsTheSameInThreeDimensions) {
  const Graph graph = two_convolutions({12, 12, 12});
  const Plan plan = plan_of(graph, "depth:3,height:3,width:3", 1);
  const Lines forward = transfers(graph, plan, Phase::forward);
  ASSERT_EQ(forward.size(), 6U);
  EXPECT_EQ(forward[3], "halo_exchange{0} 384 B of conv1: activation");
  EXPECT_EQ(forward[4], "halo_exchange{1} 576 B of conv1: activation");
  EXPECT_EQ(forward[5], "halo_exchange{2} 864 B of conv1: activation");
  // Together the shell of a cube: 3 channels of 6³ − 4³ voxels.
  EXPECT_EQ(384 + 576 + 864, 4 * 3 * (6 * 6 * 6 - 4 * 4 * 4));
}

TEST(Spatial, CountsWhatGholamiCounts) {
  // α + β·B·X_w·X_c·⌊k/2⌋ a side and layer, forward and backward.   Gholami et al., SPAA 2018
  GraphBuilder builder("net");
  LayerId last = builder.input(shape_of(3, {32, 20}));
  for (const char* name : {"conv1", "conv2", "conv3"}) {
    last = builder.add(
        name, "convolution", {last},
        {{"features", std::int64_t{6}}, {"kernel", std::int64_t{5}}, {"pad", std::int64_t{2}}});
  }
  builder.add("loss", "softmax_loss", {last});
  const Graph graph = builder.finish();
  const Plan plan = plan_of(graph, "height:4", 7);
  double halo[2] = {0, 0};
  for (const Item& item : plan.stages[0].items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr || transfer->collective != Collective::halo_exchange) continue;
    halo[item.phase == Phase::forward ? 0 : 1] += transfer->bytes.value;
  }
  EXPECT_EQ(halo[0], 4 * 7 * 20 * (3 + 6 + 6) * 2 * 2);
  EXPECT_EQ(halo[1], 4 * 7 * 20 * (6 + 6) * 2 * 2);
}

/// A convolution, a mean over all positions and a classifier.
Graph classifier() {
  GraphBuilder builder("classifier");
  LayerId last =
      builder.add("conv", "convolution", {builder.input(shape_of(2, {8, 8}))}, conv3x3(4));
  last = builder.add("mean", "adaptive_pool", {last}, {{"mode", "average"}});
  last = builder.add("flatten", "flatten", {last});
  last = builder.add("fc", "dense", {last}, {{"features", std::int64_t{10}}, {"bias", false}});
  builder.add("loss", "softmax_loss", {last});
  return builder.finish();
}

TEST(Spatial, AGlobalMeanReducesItsSumsOnly) {
  const Graph graph = classifier();
  const Plan plan = plan_of(graph, "height:4", 6);
  EXPECT_EQ(transfers(graph, plan, Phase::forward),
            (Lines{"halo_exchange{0} 768 B of input: activation",
                   "all_reduce{0} 96 B of mean: activation"}));
  EXPECT_EQ(transfers(graph, plan, Phase::backward), Lines{});
  // The classifier is repeated on every rank, so only the convolution has partial gradients.
  EXPECT_EQ(transfers(graph, plan, Phase::exchange),
            (Lines{"all_reduce{0} 288 B of conv: weight gradient"}));
  EXPECT_EQ(plan.pieces[id_of(graph, "fc")].redundancy, 4);
}

Graph with_batch_norm() {
  GraphBuilder builder("net");
  LayerId last =
      builder.add("conv", "convolution", {builder.input(shape_of(2, {8, 8}))}, conv1x1(4));
  last = builder.add("bn", "batch_norm", {last});
  builder.add("loss", "softmax_loss", {last});
  return builder.finish();
}

/// Transfers of statistics, forward then backward.
Lines statistics(const Graph& graph, const std::string& strategy) {
  const Plan plan = plan_of(graph, strategy, 4);
  Lines found;
  for (const Phase phase : {Phase::forward, Phase::backward}) {
    for (const std::string& line : transfers(graph, plan, phase)) {
      if (line.find("statistics") != std::string::npos) found.push_back(line);
    }
  }
  return found;
}

TEST(BatchNorm, SharesStatisticsOverTheAxesOfItsMode) {
  const Graph graph = with_batch_norm();
  const std::string mesh = "data:2,height:2; batch_norm=";
  const Lines per_replica(2, "all_reduce{1} 32 B of bn: statistics");
  const Lines synchronized(2, "all_reduce{0,1} 32 B of bn: statistics");
  EXPECT_EQ(statistics(graph, mesh + "per_replica"), per_replica);
  EXPECT_EQ(statistics(graph, mesh + "synchronized"), synchronized);
  EXPECT_EQ(statistics(graph, mesh + "local"), Lines{});
  EXPECT_EQ(statistics(graph, "data:4"), Lines{});
}

TEST(BatchNorm, SharesOnlyTheFeaturesItHolds) {
  const Graph graph = with_batch_norm();
  EXPECT_EQ(statistics(graph, "filter:2,height:2"),
            Lines(2, "all_reduce{1} 16 B of bn: statistics"));
  EXPECT_EQ(statistics(graph, "filter:2,data:2; batch_norm=synchronized"),
            Lines(2, "all_reduce{1} 16 B of bn: statistics"));
  EXPECT_EQ(statistics(graph, "filter:4"), Lines{});
}

TEST(Spatial, AGateIsWholeAndItsGradientASum) {
  // Squeeze and excitation: a value per channel scales every position. Hu et al., CVPR 2018.
  GraphBuilder builder("gated");
  const LayerId x =
      builder.add("conv", "convolution", {builder.input(shape_of(2, {8, 8}))}, conv1x1(4));
  LayerId gate = builder.add("squeeze", "adaptive_pool", {x}, {{"mode", "average"}});
  gate = builder.add("excite", "convolution", {gate}, conv1x1(4));
  gate = builder.add("sigmoid", "activation", {gate}, {{"function", "sigmoid"}});
  builder.add("loss", "softmax_loss", {builder.add("scale", "multiply", {x, gate})});
  const Graph graph = builder.finish();
  const Plan plan = plan_of(graph, "height:2", 3);
  EXPECT_EQ(transfers(graph, plan, Phase::forward),
            (Lines{"all_reduce{0} 48 B of squeeze: activation"}));
  EXPECT_EQ(transfers(graph, plan, Phase::backward),
            (Lines{"all_reduce{0} 48 B of sigmoid: activation gradient"}));
}

}  // namespace spatial_test
}  // namespace oracle
