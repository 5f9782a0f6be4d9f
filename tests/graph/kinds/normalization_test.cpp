#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace normalization_test {

TEST(LayerNorm, NeedsEveryChannelOfAPosition) {
  const Layer layer = one_layer("layer_norm", shape_of(768, {14, 14}));
  EXPECT_EQ(layer.parameters(), 1536);
  EXPECT_EQ(layer.mixing, Mixing::whole);
  EXPECT_EQ(layer.reach, Reach::pointwise);
  EXPECT_FALSE(layer.batch_statistics);
  EXPECT_TRUE(layer.keeps_input);
}

TEST(LocalResponseNorm, TrainsNothing) {
  const Layer layer = one_layer("local_response_norm", shape_of(96, {55, 55}));
  EXPECT_EQ(layer.parameters(), 0);
  EXPECT_EQ(layer.flops(Pass::forward), 5.0 * 290400);
  EXPECT_EQ(layer.flops(Pass::backward_weights), 0);
  EXPECT_EQ(layer.mixing, Mixing::whole);
  EXPECT_TRUE(layer.keeps_output);
}

// 64 channels in 32 groups have statistics of pairs; a group each is the instance normalization.
TEST(GroupNorm, NormalizesASampleAtATime) {
  const Layer layer =
      one_layer("group_norm", shape_of(64, {56, 56}), {{"groups", std::int64_t{32}}});
  EXPECT_EQ(layer.parameters(), 128);
  EXPECT_FALSE(layer.batch_statistics);
  EXPECT_EQ(layer.mixing, Mixing::whole);
  EXPECT_EQ(layer.groups, 32);
  EXPECT_EQ(layer.reach, Reach::whole);
  EXPECT_EQ(layer.flops(Pass::forward), 5.0 * 64 * 56 * 56);
  const Layer instance = one_layer("group_norm", shape_of(64, {56, 56}), {{"affine", false}});
  EXPECT_EQ(instance.mixing, Mixing::channelwise);
  EXPECT_EQ(instance.parameters(), 0);
  EXPECT_THAT(refusal("group_norm", shape_of(64, {4}), {{"groups", std::int64_t{3}}}),
              testing::HasSubstr("3 groups do not divide 64 channels"));
}

// 12 heads, each a row of 196 scores at 196 positions.
TEST(Softmax, SharesOutTheChannelsOfAGroup) {
  const Layer layer =
      one_layer("softmax", shape_of(12 * 196, {196}), {{"groups", std::int64_t{12}}});
  EXPECT_EQ(layer.flops(Pass::forward), 5.0 * 12 * 196 * 196);
  EXPECT_EQ(layer.of(Pass::backward_data), (PassWork{4, 0, 3, 0}));
  EXPECT_TRUE(layer.keeps_output && !layer.keeps_input && layer.in_place);
  EXPECT_EQ(layer.groups, 12);
  EXPECT_EQ(layer.mixing, Mixing::whole);
}

TEST(Softmax, SharesOutThePositionsOfAChannel) {
  const Layer layer =
      one_layer("softmax", shape_of(8, {14, 14}), {{"over", std::string("positions")}});
  EXPECT_EQ(layer.mixing, Mixing::channelwise);
  EXPECT_EQ(layer.reach, Reach::whole);
}

}  // namespace normalization_test
}  // namespace oracle
