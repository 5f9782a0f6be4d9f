// The table of oracle/plan/cuts/cut.h, row by row.

#include "oracle/plan/cuts/cut.h"

#include <gtest/gtest.h>
#include <set>

#include "oracle/graph/kinds/kind.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace cut_test {

using enum State;

/// A layer that reads an activation, not the network's input.
Layer inner_layer(std::string_view kind, const Shape& input, const Attributes& attributes = {}) {
  GraphBuilder builder("one");
  const LayerId read = builder.add("before", "activation", {builder.input(input)});
  return builder.so_far()[builder.add("layer", kind, {read}, attributes)];
}

Layer dense() { return inner_layer("dense", shape_of(8), {{"features", std::int64_t{6}}}); }
Layer convolution() { return inner_layer("convolution", shape_of(8, {12, 12}), conv3x3(6)); }
Layer grouped(std::int64_t groups) {
  Attributes attributes = conv3x3(16);
  attributes.set("groups", groups);
  return inner_layer("convolution", shape_of(8, {12, 12}), attributes);
}
Layer depthwise() {
  Attributes attributes = conv3x3(8);
  attributes.set("groups", std::int64_t{8});
  return inner_layer("convolution", shape_of(8, {12, 12}), attributes);
}
Layer max_pool() {
  return inner_layer("pool", shape_of(8, {12, 12}), {{"kernel", std::int64_t{2}}});
}
Layer batch_norm() { return inner_layer("batch_norm", shape_of(8, {12, 12})); }
Layer flatten(std::int64_t side) { return inner_layer("flatten", shape_of(8, {side, side})); }
Layer loss() { return inner_layer("softmax_loss", shape_of(8)); }
Layer global_pool(const char* mode) {
  return inner_layer("adaptive_pool", shape_of(8, {12, 12}),
                     {{"mode", mode}, {"output", std::int64_t{1}}});
}

enum class Weights : std::uint8_t { whole, filter, channel };

/// A row of the table: input, output, output gradient, input gradient, weights, weight gradient.
testing::AssertionResult effect_is(const Layer& layer, Cut cut, State incoming,
                                   std::array<State, 4> states, Weights weights, bool partial_sum,
                                   std::int64_t degree = 2) {
  const CutAnswer answer = row_of(cut).apply(layer, degree, incoming);
  if (answer.refusal) return testing::AssertionFailure() << to_text(*answer.refusal);
  const CutEffect& effect = answer.effect;
  const std::array<State, 4> found = {effect.input, effect.output, effect.output_gradient,
                                      effect.input_gradient};
  if (found != states) {
    auto failure = testing::AssertionFailure() << "states";
    for (const State state : found) failure << ' ' << name_of(state);
    return failure;
  }
  if (effect.cuts_filters != (weights == Weights::filter) ||
      effect.cuts_channels != (weights == Weights::channel)) {
    return testing::AssertionFailure() << "weights are cut otherwise";
  }
  if (effect.partial_weight_gradient != partial_sum) {
    return testing::AssertionFailure() << "weight gradient";
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult stays_whole(const Layer& layer, Cut cut, State incoming = replicated) {
  return effect_is(layer, cut, incoming, {replicated, replicated, replicated, replicated},
                   Weights::whole, false);
}

constexpr std::array<State, 4> kByFeature = {channel, channel, channel, channel};

TEST(Cut, NoneLeavesEveryLayerWhole) {
  for (const State incoming : {replicated, sample, channel, height, partial}) {
    EXPECT_TRUE(stays_whole(dense(), Cut::none, incoming));
    EXPECT_TRUE(stays_whole(convolution(), Cut::none, incoming));
    EXPECT_TRUE(stays_whole(loss(), Cut::pipeline, incoming));
  }
}

TEST(Cut, SampleReplicatesWeightsAndSumsTheirGradient) {
  for (const Layer& layer : {dense(), convolution(), grouped(4), depthwise(), max_pool(),
                             batch_norm(), flatten(12), loss(), global_pool("average")}) {
    EXPECT_TRUE(effect_is(layer, Cut::sample, replicated, {sample, sample, sample, sample},
                          Weights::whole, true))
        << layer.kind->name;
  }
}

TEST(Cut, SpatialKeepsSlabsAndSumsTheWeightGradient) {
  for (const Layer& layer : {convolution(), grouped(4), depthwise(), max_pool(), batch_norm()}) {
    EXPECT_TRUE(effect_is(layer, Cut::height, replicated, {height, height, height, height},
                          Weights::whole, true))
        << layer.kind->name;
    EXPECT_TRUE(
        effect_is(layer, Cut::width, height, {width, width, width, width}, Weights::whole, true))
        << layer.kind->name;
    EXPECT_TRUE(stays_whole(layer, Cut::depth)) << layer.kind->name;
  }
}

TEST(Cut, SpatialLeavesWholeWhatHasNoPositionsOrNeedsThemAll) {
  for (const Cut cut : {Cut::depth, Cut::height, Cut::width}) {
    EXPECT_TRUE(stays_whole(dense(), cut, height));
    EXPECT_TRUE(stays_whole(flatten(12), cut, height));
    EXPECT_TRUE(stays_whole(flatten(1), cut));
    EXPECT_TRUE(stays_whole(loss(), cut, height));
    EXPECT_TRUE(stays_whole(global_pool("max"), cut, height));
  }
}

TEST(Cut, SpatialLeavesAGlobalMeanAsAPartialSum) {
  EXPECT_TRUE(effect_is(global_pool("average"), Cut::height, height,
                        {height, partial, replicated, height}, Weights::whole, true));
}

TEST(Cut, FilterComputesPartOfTheOutputFromTheWholeInput) {
  for (const Layer& layer : {dense(), convolution()}) {
    for (const State incoming : {replicated, channel, partial}) {
      EXPECT_TRUE(effect_is(layer, Cut::filter, incoming, {replicated, channel, channel, partial},
                            Weights::filter, false))
          << layer.kind->name;
    }
  }
}

TEST(Cut, FilterKeepsPartsApartFeatureByFeature) {
  for (const Layer& layer : {depthwise(), max_pool(), batch_norm(), flatten(12), flatten(1),
                             global_pool("average"), global_pool("max")}) {
    EXPECT_TRUE(effect_is(layer, Cut::filter, channel, kByFeature, Weights::filter, false))
        << layer.kind->name;
    EXPECT_TRUE(stays_whole(layer, Cut::filter, replicated)) << layer.kind->name;
    EXPECT_TRUE(stays_whole(layer, Cut::filter, partial)) << layer.kind->name;
  }
}

TEST(Cut, ChannelSumsOverItsInputFeatures) {
  for (const Layer& layer : {dense(), convolution()}) {
    for (const State incoming : {replicated, channel, partial}) {
      EXPECT_TRUE(effect_is(layer, Cut::channel, incoming, {channel, partial, replicated, channel},
                            Weights::channel, false))
          << layer.kind->name;
    }
  }
}

TEST(Cut, ChannelReducesSumsToPartsFeatureByFeature) {
  for (const Layer& layer : {depthwise(), max_pool(), batch_norm(), flatten(12)}) {
    EXPECT_TRUE(effect_is(layer, Cut::channel, partial, kByFeature, Weights::filter, false))
        << layer.kind->name;
    EXPECT_TRUE(effect_is(layer, Cut::channel, channel, kByFeature, Weights::filter, false))
        << layer.kind->name;
    EXPECT_TRUE(stays_whole(layer, Cut::channel, replicated)) << layer.kind->name;
  }
}

TEST(Cut, ChannelLeavesTheFirstLayerWhole) {
  EXPECT_TRUE(
      stays_whole(one_layer("convolution", shape_of(3, {12, 12}), conv3x3(6)), Cut::channel));
}

TEST(Cut, AlternateTakesFilterAndChannelInTurn) {
  for (const Layer& layer : {dense(), convolution()}) {
    for (const State incoming : {replicated, partial}) {
      EXPECT_TRUE(effect_is(layer, Cut::alternate, incoming,
                            {replicated, channel, channel, partial}, Weights::filter, false));
    }
    EXPECT_TRUE(effect_is(layer, Cut::alternate, channel, {channel, partial, replicated, channel},
                          Weights::channel, false));
  }
  EXPECT_TRUE(effect_is(batch_norm(), Cut::alternate, channel, kByFeature, Weights::filter, false));
  EXPECT_TRUE(stays_whole(batch_norm(), Cut::alternate, partial));
}

TEST(Cut, FeatureCutsLeaveTheLossWhole) {
  for (const Cut cut : {Cut::filter, Cut::channel, Cut::alternate}) {
    EXPECT_TRUE(stays_whole(loss(), cut, channel));
    EXPECT_TRUE(stays_whole(loss(), cut, partial));
  }
}

TEST(Cut, GroupsThatDivideEvenlyAreCutLikeFeatures) {
  for (const Cut cut : {Cut::filter, Cut::channel, Cut::alternate}) {
    EXPECT_TRUE(effect_is(grouped(4), cut, replicated, kByFeature, Weights::filter, false, 4));
  }
  // 4 groups over 8 ranks: 2 ranks share a group's input, so the input stays whole.
  EXPECT_TRUE(effect_is(grouped(4), Cut::filter, replicated,
                        {replicated, channel, channel, partial}, Weights::filter, false, 8));
}

TEST(Cut, FollowKeepsWhatReachesTheLayer) {
  EXPECT_TRUE(effect_is(dense(), Cut::follow, sample, {sample, sample, sample, sample},
                        Weights::whole, true));
  EXPECT_TRUE(effect_is(max_pool(), Cut::follow, height, {height, height, height, height},
                        Weights::whole, true));
  EXPECT_TRUE(effect_is(max_pool(), Cut::follow, channel, kByFeature, Weights::filter, false));
  EXPECT_TRUE(stays_whole(max_pool(), Cut::follow, partial));
  EXPECT_TRUE(stays_whole(dense(), Cut::follow, channel));
  EXPECT_TRUE(stays_whole(loss(), Cut::follow, replicated));
}

std::optional<Infeasible> refused(const Layer& layer, Cut cut, std::int64_t degree) {
  return row_of(cut).apply(layer, degree, replicated).refusal;
}

TEST(Cut, RefusesMoreRanksThanThereAreParts) {
  const auto filters = refused(convolution(), Cut::filter, 7);
  ASSERT_TRUE(filters);
  EXPECT_EQ(to_text(*filters),
            "layer layer: needs 7 filters, has 6 filters; use at most filter:6 there, or give "
            "\"layer\" another mesh axis");
  EXPECT_EQ(filters->constraint, Constraint::filters);

  const auto channels = refused(dense(), Cut::channel, 9);
  ASSERT_TRUE(channels);
  EXPECT_EQ(channels->constraint, Constraint::channels);
  EXPECT_EQ(channels->available, 8);

  const auto rows = refused(convolution(), Cut::height, 13);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->constraint, Constraint::extent);
  EXPECT_EQ(rows->available, 12);
  // The pool's 6 output rows decide, not its 12 input rows.
  EXPECT_EQ(refused(max_pool(), Cut::height, 7)->available, 6);
  // A global mean may be cut as far as its input goes.
  EXPECT_FALSE(refused(global_pool("average"), Cut::height, 12));
  EXPECT_TRUE(refused(global_pool("average"), Cut::height, 13));
}

TEST(Cut, RefusesGroupsThatTheRanksDoNotDivide) {
  const auto refusal = refused(grouped(4), Cut::channel, 3);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->constraint, Constraint::channels);
  EXPECT_EQ(refusal->available, 4);
}

TEST(Cut, AsManyRanksAsPartsAreNotRefused) {
  EXPECT_FALSE(refused(convolution(), Cut::filter, 6));
  EXPECT_FALSE(refused(dense(), Cut::channel, 8));
  EXPECT_FALSE(refused(convolution(), Cut::width, 12));
}

TEST(Cut, TableHasEachCutOnceUnderItsOwnName) {
  std::set<Cut> cuts;
  std::set<std::string_view> names;
  for (const CutRow& row : all_cuts()) {
    EXPECT_TRUE(cuts.insert(row.cut).second);
    EXPECT_TRUE(names.insert(row.axis_name).second) << row.axis_name;
    EXPECT_EQ(row_of(row.cut).axis_name, row.axis_name);
  }
  EXPECT_EQ(cuts.size(), kCutCount);
}

}  // namespace cut_test
}  // namespace oracle
