// What partition() refuses, and how it says so.

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace refusals_test {

const Graph kPair = dense_chain({8, 16, 12});

Graph convolutions(std::int64_t filters, std::int64_t side, std::int64_t kernel) {
  GraphBuilder builder("convolutions");
  LayerId last = builder.input(shape_of(3, {side, side}));
  for (const char* name : {"conv1", "conv2"}) {
    last = builder.add(name, "convolution", {last},
                       {{"features", filters}, {"kernel", kernel}, {"pad", kernel / 2}});
  }
  last = builder.add("flatten", "flatten", {last});
  last = builder.add("fc", "dense", {last}, {{"features", std::int64_t{10}}});
  builder.add("loss", "softmax_loss", {last});
  return builder.finish();
}

void expect_refusal(const Infeasible& refusal, Constraint constraint, std::string_view subject,
                    double needed, double available) {
  EXPECT_EQ(refusal.constraint, constraint) << to_text(refusal);
  EXPECT_EQ(refusal.subject, subject);
  EXPECT_EQ(refusal.needed, needed);
  EXPECT_EQ(refusal.available, available);
  EXPECT_FALSE(refusal.remedy.empty());
}

TEST(Refusal, OfMoreSampleGroupsThanSamples) {
  expect_refusal(refusal_of(kPair, "data:8", 4), Constraint::batch, "batch", 8, 4);
}

TEST(Refusal, OfMoreMicroBatchesThanSamplesPerGroup) {
  const Infeasible refusal = refusal_of(kPair, "data:2; micro_batches=8", 8);
  expect_refusal(refusal, Constraint::micro_batches, "batch", 16, 8);
  EXPECT_EQ(refusal.remedy, "use at most micro_batches=4");
}

TEST(Refusal, OfMoreRanksThanTheClusterHas) {
  expect_refusal(refusal_of(kPair, "data:8192", 8192), Constraint::ranks, "cluster flat", 8192,
                 4096);
}

TEST(Refusal, OfShardsThatDataParallelRanksDoNotFallInto) {
  const Infeasible refusal = refusal_of(kPair, "data:6; zero=3; shard=4", 6);
  EXPECT_EQ(refusal.constraint, Constraint::shards);
  EXPECT_EQ(
      to_text(refusal),
      "shard=4 and data:6 do not divide each other; use a divisor of the data-parallel ranks");
  EXPECT_THROW(refusal_of(kPair, "data:4; shard=2", 4), InputError);
}

TEST(Refusal, OfANumberFormatTheDeviceLacks) {
  const auto plan =
      partition(kPair, parse_strategy("data:2"), training_of(2, "fp16"), flat_cluster());
  expect_refusal(std::get<Infeasible>(plan), Constraint::number_format, "device plain", 1, 0);
}

TEST(Refusal, OfMoreStagesThanLayers) {
  EXPECT_EQ(plan_of(kPair, "pipeline:3", 4).stages.size(), 3U);
  expect_refusal(refusal_of(kPair, "pipeline:4", 4), Constraint::layers, "network chain", 4, 3);
}

TEST(Refusal, OfMoreFiltersThanALayerHas) {
  expect_refusal(refusal_of(kPair, "filter:13", 4), Constraint::filters, "layer fc2", 13, 12);
  expect_refusal(refusal_of(kPair, "channel:17", 4), Constraint::channels, "layer fc2", 17, 16);
}

TEST(Refusal, CountsAllAxesThatCutALayerTheSameWay) {
  const Graph graph = convolutions(6, 16, 3);
  expect_refusal(refusal_of(graph, "conv*=filter:8; fc=data:2,filter:4", 8), Constraint::filters,
                 "layer conv1", 8, 6);
  expect_refusal(refusal_of(graph, "filter:4,tensor:2", 8), Constraint::filters, "layer conv1", 8,
                 6);
  expect_refusal(refusal_of(graph, "conv2=channel:8; fc=data:2,filter:4", 8), Constraint::channels,
                 "layer conv2", 8, 6);
  expect_refusal(refusal_of(convolutions(6, 6, 1), "conv*=height:8; fc=data:2,filter:4", 8),
                 Constraint::extent, "layer conv1", 8, 6);
}

TEST(Refusal, OfSlabsThinnerThanTheirHalo) {
  // Slabs of 2 rows cannot give the 3 rows that a 7x7 window asks for.
  expect_refusal(refusal_of(convolutions(6, 16, 7), "height:8", 8), Constraint::halo, "layer conv1",
                 3, 2);
  EXPECT_NO_THROW(plan_of(convolutions(6, 16, 7), "height:4", 8));
}

TEST(Refusal, OfMoreSlabsThanRows) {
  expect_refusal(refusal_of(convolutions(6, 16, 3), "height:32", 8), Constraint::extent,
                 "layer conv1", 32, 16);
}

TEST(Refusal, OfAnAxisThatTheNetworkLacks) {
  const Infeasible flat = refusal_of(kPair, "width:4", 8);
  expect_refusal(flat, Constraint::extent, "network chain", 4, 1);
  EXPECT_EQ(to_text(flat),
            "network chain: needs 4 positions of width, has 1 positions of width; leave the axis "
            "out: no layer has a "
            "width to shard");
  expect_refusal(refusal_of(kPair, "spatial:4", 8), Constraint::extent, "network chain", 4, 1);
  expect_refusal(refusal_of(convolutions(6, 16, 3), "data:2,depth:4", 8), Constraint::extent,
                 "network convolutions", 4, 1);
  expect_refusal(refusal_of(kPair, "fc1=data:4; fc2=height:4", 8), Constraint::extent,
                 "network chain", 4, 1);
  // Who asks for replicas gets them.
  EXPECT_NO_THROW(plan_of(kPair, "whole:4", 8));
}

TEST(Refusal, OfARuleThatDecidesNothingIsAnInputError) {
  try {
    plan_of(kPair, "fc*=data:2; fc2=filter:2", 4);
    FAIL() << "let pass";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--strategy: the rule of \"fc2\" decides no layer: earlier rules name all that it "
                 "matches; leave it out, or put it before them");
  }
}

TEST(Refusal, OfALayerRangeThatMatchesNothingIsAnInputError) {
  try {
    plan_of(kPair, "fc1=data:2; fx2=filter:2", 4);
    FAIL() << "let pass";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--strategy: no layer of chain matches \"fx2\"; did you mean \"fc2\"?");
  }
}

TEST(Refusal, OfAnEmptyBatchIsAnInputError) {
  EXPECT_THROW(plan_of(kPair, "data:2", 0), InputError);
  EXPECT_THROW(plan_of(kPair, "serial", -1), InputError);
}

TEST(Refusal, OfAnOpenDegreeIsAnInputError) {
  EXPECT_THROW(plan_of(kPair, "data,filter:2", 4), InputError);
}

TEST(Refusal, TheFirstMatchingRuleCounts) {
  const Plan plan = plan_of(kPair, "fc1=filter:2; fc*=data:2", 4);
  EXPECT_EQ(plan.pieces[1].output_layout[0], State::channel);
  EXPECT_EQ(plan.pieces[2].output_layout[0], State::sample);
}

/// Each axis divides the two heads, both together do not.
TEST(Refusals, GroupsThatMeshAxesTogetherDoNotDivide) {
  GraphBuilder net("heads");
  Shape shape = shape_of(8);
  shape[Axis::sequence] = 4;
  const LayerId input = net.input(shape);
  const auto dense = [&](const char* name) {
    return net.add(name, "dense", {input}, {{"features", 8}});
  };
  const LayerId made =
      net.add("attention", "attention", {dense("q"), dense("k"), dense("v")}, {{"heads", 2}});
  net.add("loss", "softmax_loss", {made});
  const Graph graph = net.finish();
  EXPECT_NO_THROW(plan_of(graph, "tensor:2", 4));
  const Infeasible refusal = refusal_of(graph, "tensor:2,tensor:2", 4);
  EXPECT_EQ(refusal.constraint, Constraint::filters);
  EXPECT_EQ(refusal.subject, "layer attention");
  EXPECT_EQ(refusal.needed, 4);
  EXPECT_EQ(refusal.available, 2);
}

}  // namespace refusals_test
}  // namespace oracle
