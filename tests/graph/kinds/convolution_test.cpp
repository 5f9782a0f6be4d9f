#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace kinds_convolution_test {

using testing::HasSubstr;

Attributes window(std::int64_t features, std::int64_t kernel, std::int64_t pad,
                  std::int64_t groups = 1, std::int64_t stride = 1) {
  return {{"features", features}, {"kernel", kernel}, {"pad", pad},
          {"groups", groups},     {"stride", stride}, {"bias", false}};
}

TEST(Convolution, CostsTheSameInEachPass) {
  const Layer layer = one_layer("convolution", shape_of(64, {56, 56}), window(64, 3, 1));
  EXPECT_EQ(layer.parameters(), 36864);
  EXPECT_EQ(layer.reduction, 576);
  // 2 · 576 · 64·56·56
  for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
    EXPECT_EQ(layer.flops(pass), 231211008.0);
  }
  EXPECT_EQ(layer.flops(Pass::update), 0);
  EXPECT_EQ(layer.mixing, Mixing::contraction);
  EXPECT_EQ(layer.reach, Reach::windowed);
  EXPECT_TRUE(layer.keeps_input);
  EXPECT_FALSE(layer.keeps_output);
}

TEST(Convolution, TouchesEachOfItsThreeTensorsOnceAPass) {
  const Layer layer = one_layer("convolution", shape_of(64, {56, 56}), window(64, 3, 1));
  for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
    EXPECT_EQ(layer.of(pass), (PassWork{0, 1, 1, 1}));
  }
}

TEST(Convolution, AddsItsBiasOncePerOutput) {
  const Layer layer = one_layer("convolution", shape_of(3, {4, 4}),
                                {{"features", std::int64_t{8}}, {"kernel", std::int64_t{1}}});
  EXPECT_EQ(layer.parameters(), 8 * 3 + 8);
  EXPECT_EQ(layer.flops(Pass::forward), (2 * 3 + 1) * 8 * 16);
  EXPECT_EQ(layer.flops(Pass::backward_data), 2 * 3 * 8 * 16);
  EXPECT_EQ(layer.flops(Pass::backward_weights), (2 * 3 + 1) * 8 * 16);
  EXPECT_EQ(layer.weights[1].features_out, layer.output.channels());
  EXPECT_EQ(layer.weights[1].features_in, 1);
}

TEST(Convolution, IsPointwiseOnlyAsOneByOneWithStrideOne) {
  const Shape input = shape_of(8, {8, 8});
  EXPECT_EQ(one_layer("convolution", input, window(8, 1, 0)).reach, Reach::pointwise);
  EXPECT_EQ(one_layer("convolution", input, window(8, 1, 0, 1, 2)).reach, Reach::windowed);
  EXPECT_EQ(one_layer("convolution", input, window(8, 8, 0)).reach, Reach::whole);
}

TEST(Convolution, ContractsOverItsGroupOnly) {
  // ResNeXt-50's first 3x3: 128 → 128 in 32 groups of 4.
  const Layer layer = one_layer("convolution", shape_of(128, {56, 56}), window(128, 3, 1, 32));
  EXPECT_EQ(layer.reduction, 36);
  EXPECT_EQ(layer.parameters(), 4608);
  EXPECT_EQ(layer.mixing, Mixing::contraction);
}

TEST(Convolution, IsChannelwiseWhereDepthwise) {
  const Layer layer = one_layer("convolution", shape_of(32, {112, 112}), window(32, 3, 1, 32));
  EXPECT_EQ(layer.mixing, Mixing::channelwise);
  EXPECT_EQ(layer.reduction, 9);
  EXPECT_EQ(layer.parameters(), 288);
  EXPECT_EQ(layer.weights[0].features_out, layer.output.channels());
  EXPECT_EQ(layer.weights[0].features_in, 1);
  EXPECT_EQ(layer.flops(Pass::forward), 2.0 * 9 * 32 * 112 * 112);
  // Two filters per channel mix nothing either, but outputs no longer line up with inputs.
  EXPECT_EQ(one_layer("convolution", shape_of(32, {8, 8}), window(64, 3, 1, 32)).mixing,
            Mixing::contraction);
}

TEST(Convolution, RefusesGroupsThatDoNotDivide) {
  EXPECT_THAT(refusal("convolution", shape_of(6, {8, 8}), window(8, 3, 1, 4)),
              HasSubstr("4 groups do not divide 6 input and 8 output features"));
  EXPECT_THAT(refusal("convolution", shape_of(6, {8, 8}), {{"kernel", std::int64_t{1}}}),
              HasSubstr("\"features\" is missing"));
}

}  // namespace kinds_convolution_test
}  // namespace oracle
