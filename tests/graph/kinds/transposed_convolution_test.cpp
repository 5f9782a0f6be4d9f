#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace transposed_convolution_test {

using testing::HasSubstr;

Attributes window(std::int64_t features, std::int64_t kernel, std::int64_t stride,
                  std::int64_t pad = 0, std::int64_t output_pad = 0) {
  return {{"features", features}, {"kernel", kernel},         {"stride", stride},
          {"pad", pad},           {"output_pad", output_pad}, {"bias", false}};
}

TEST(TransposedConvolution, DoublesAVolume) {
  const Layer layer =
      one_layer("transposed_convolution", shape_of(128, {8, 8, 8}), window(128, 2, 2));
  EXPECT_EQ(to_text(layer.output), "128x16x16x16");
  EXPECT_EQ(layer.parameters(), 128 * 128 * 8);
  EXPECT_EQ(layer.reduction, 128);
  // Every input element meets every weight of its channel: 2 · 128·8³ · 128·2³.
  EXPECT_EQ(layer.flops(Pass::forward), 2.0 * 128 * 512 * 128 * 8);
}

TEST(TransposedConvolution, HasTheExtentsOfPyTorch) {
  // (in − 1)·stride − 2·pad + kernel + output_pad
  const Shape input = shape_of(64, {14, 14});
  EXPECT_EQ(to_text(one_layer("transposed_convolution", input, window(1, 4, 2, 1)).output),
            "1x28x28");
  EXPECT_EQ(to_text(one_layer("transposed_convolution", input, window(1, 3, 2, 1, 1)).output),
            "1x28x28");
  EXPECT_EQ(to_text(one_layer("transposed_convolution", input, window(1, 3, 1)).output), "1x16x16");
}

TEST(TransposedConvolution, SpreadsItsWorkOverTheOutputs) {
  // 3x3 at stride 2 touches 9/4 inputs per output: 64 · 9/4 = 144.
  const Layer layer =
      one_layer("transposed_convolution", shape_of(64, {14, 14}), window(32, 3, 2, 1, 1));
  EXPECT_EQ(layer.reduction, 144);
  EXPECT_EQ(layer.flops(Pass::backward_weights), 2.0 * 64 * 14 * 14 * 32 * 9);
}

// 9x9 to 18x18 by 3x3 at stride 2: 81·9 products of each channel over 324 outputs are 2.25 each.
TEST(TransposedConvolution, CountsItsProductsExactly) {
  Attributes depthwise = window(6, 3, 2, 1, 1);
  depthwise.set("groups", std::int64_t{6});
  const Layer layer = one_layer("transposed_convolution", shape_of(6, {9, 9}), depthwise);
  EXPECT_EQ(to_text(layer.output), "6x18x18");
  EXPECT_EQ(layer.reduction, 2);
  EXPECT_EQ(layer.multiply_adds(), 6 * 9 * 81);
  EXPECT_DOUBLE_EQ(layer.flops(Pass::backward_data), 2.0 * 6 * 9 * 81);
}

TEST(TransposedConvolution, IsDilatedAndCutUnevenly) {
  Attributes attributes{{"features", std::int64_t{2}},
                        {"kernel", std::int64_t{3}},
                        {"dilation", std::int64_t{2}},
                        {"pad_before", std::int64_t{1}},
                        {"pad_after", std::int64_t{0}}};
  const Layer layer = one_layer("transposed_convolution", shape_of(4, {9, 9}), attributes);
  EXPECT_EQ(to_text(layer.output), "2x12x12");  // 8 − 1 + 2·2 + 1
}

TEST(TransposedConvolution, SlidesOverItsOutput) {
  const Layer layer = one_layer("transposed_convolution", shape_of(8, {8, 8, 8}), window(8, 2, 2));
  EXPECT_TRUE(layer.transposed);
  EXPECT_EQ(layer.reach, Reach::windowed);
}

TEST(TransposedConvolution, RefusesPadsThatLeaveNothing) {
  EXPECT_THAT(refusal("transposed_convolution", shape_of(1, {2, 2}), window(1, 1, 1, 1)),
              HasSubstr("leaves nothing"));
  EXPECT_THAT(refusal("transposed_convolution", shape_of(1, {2, 2}), window(1, 2, 2, 0, 2)),
              HasSubstr("\"output_pad\" must be smaller"));
}

}  // namespace transposed_convolution_test
}  // namespace oracle
