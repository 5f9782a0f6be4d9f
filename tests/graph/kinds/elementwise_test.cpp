#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace elementwise_test {

using testing::HasSubstr;

/// The layer of `kind` that reads a convolution's `features` channels after the input of 64x28x28.
Layer joined(std::string_view kind, std::int64_t features, std::int64_t stride = 1) {
  GraphBuilder builder("joined");
  const LayerId input = builder.input(shape_of(64, {28, 28}));
  const LayerId other =
      builder.add("other", "convolution", {input},
                  {{"features", features}, {"kernel", std::int64_t{1}}, {"stride", stride}});
  return builder.so_far()[builder.add("join", kind, {input, other})];
}

std::string refusal_of(std::string_view kind, std::int64_t features, std::int64_t stride = 1) {
  try {
    joined(kind, features, stride);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Add, ReadsEveryTermAndHandsTheGradientOn) {
  const Layer layer = joined("add", 64);
  EXPECT_EQ(layer.flops(Pass::forward), 64.0 * 28 * 28);
  EXPECT_EQ(layer.of(Pass::forward), (PassWork{1, 2, 1, 0}));
  EXPECT_EQ(layer.of(Pass::backward_data), PassWork{});
  EXPECT_TRUE(layer.in_place);
  EXPECT_FALSE(layer.keeps_input || layer.keeps_output);
}

TEST(Add, WantsEqualShapes) {
  EXPECT_THAT(refusal_of("add", 32), HasSubstr("join: its inputs are 64x28x28 and 32x28x28"));
  EXPECT_THAT(refusal_of("add", 64, 2), HasSubstr("64x14x14"));
}

TEST(Concat, JoinsChannels) {
  const Layer layer = joined("concat", 128);
  EXPECT_EQ(to_text(layer.output), "192x28x28");
  EXPECT_EQ(layer.mixing, Mixing::whole);
  EXPECT_EQ(layer.flops(Pass::forward), 0);
  EXPECT_EQ(layer.of(Pass::forward), (PassWork{0, 0, 2, 0}));
  EXPECT_THAT(refusal_of("concat", 128, 2), HasSubstr("may differ in their channels only"));
}

TEST(Concat, OfWholeBlocksHasInputsOfWholeBlocksInTheMean) {
  EXPECT_EQ(joined("concat", 128).joined_channels, 96);
  EXPECT_EQ(joined("concat", 80).joined_channels, 80) << "and not 72, which is 4.5 blocks";
  EXPECT_EQ(joined("concat", 24).joined_channels, 48) << "of 8";
  EXPECT_EQ(joined("concat", 3).joined_channels, 34);
  EXPECT_EQ(joined("add", 64).joined_channels, 0);
}

TEST(Multiply, GatesEachChannel) {
  GraphBuilder builder("gate");
  const LayerId input = builder.input(shape_of(96, {56, 56}));
  const LayerId gate =
      builder.add("gate", "adaptive_pool", {input}, {{"mode", std::string("average")}});
  const Layer layer = builder.so_far()[builder.add("scale", "multiply", {input, gate})];
  EXPECT_EQ(layer.output, layer.input);
  EXPECT_EQ(layer.flops(Pass::forward), 301056.0);
  EXPECT_EQ(layer.of(Pass::forward), (PassWork{1, 1, 1, 0}));
  EXPECT_TRUE(layer.keeps_input);
  EXPECT_THROW(builder.add("reversed", "multiply", {gate, input}), InputError);
}

TEST(Multiply, TakesAFullTensorToo) {
  EXPECT_EQ(joined("multiply", 64).of(Pass::forward), (PassWork{1, 2, 1, 0}));
  EXPECT_THAT(refusal_of("multiply", 32), HasSubstr("name the larger tensor first"));
}

TEST(Flatten, IsAViewThatKeepsShardsOfChannels) {
  const Layer layer = one_layer("flatten", shape_of(512, {7, 7}));
  EXPECT_EQ(to_text(layer.output), "25088");
  EXPECT_EQ(layer.reach, Reach::whole);
  EXPECT_EQ(layer.mixing, Mixing::channelwise);
  EXPECT_EQ(layer.of(Pass::forward), PassWork{});
  EXPECT_EQ(one_layer("flatten", shape_of(2048)).reach, Reach::pointwise);
}

TEST(Dropout, KeepsAByteOfMaskPerElement) {
  const Layer layer = one_layer("dropout", shape_of(4096));
  EXPECT_EQ(layer.mask_bytes_per_output * static_cast<double>(layer.output.elements()), 4096.0);
  EXPECT_FALSE(layer.keeps_input || layer.keeps_output);
}

}  // namespace elementwise_test
}  // namespace oracle
