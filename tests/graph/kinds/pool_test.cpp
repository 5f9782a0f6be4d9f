#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace pool_test {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kAverage = "average";

Layer adaptive(std::int64_t in, std::int64_t out, const std::string& mode) {
  return one_layer("adaptive_pool", shape_of(16, {in, in}), {{"mode", mode}, {"output", out}});
}

TEST(Pool, SlidesPerChannel) {
  const Layer layer = one_layer(
      "pool", shape_of(64, {112, 112}),
      {{"kernel", std::int64_t{3}}, {"stride", std::int64_t{2}}, {"pad", std::int64_t{1}}});
  EXPECT_EQ(to_text(layer.output), "64x56x56");
  EXPECT_EQ(layer.variant, "max");
  EXPECT_EQ(layer.mixing, Mixing::channelwise);
  EXPECT_EQ(layer.reach, Reach::windowed);
  EXPECT_EQ(layer.flops(Pass::forward), 9.0 * 64 * 56 * 56);
  EXPECT_EQ(layer.flops(Pass::backward_weights), 0);
}

TEST(Pool, KeepsBothTensorsForTheMaximumAndNoneForTheMean) {
  const Attributes two{{"kernel", std::int64_t{2}}};
  const Attributes mean{{"kernel", std::int64_t{2}}, {"mode", kAverage}};
  const Layer max = one_layer("pool", shape_of(4, {8, 8}), two);
  const Layer average = one_layer("pool", shape_of(4, {8, 8}), mean);
  EXPECT_TRUE(max.keeps_input && max.keeps_output);
  EXPECT_FALSE(average.keeps_input || average.keeps_output);
  EXPECT_EQ(average.of(Pass::backward_data), (PassWork{4, 1, 1, 0}));
  EXPECT_EQ(max.of(Pass::backward_data), (PassWork{4, 2, 2, 0}));
}

TEST(Pool, StepsByItsKernelUnlessTold) {
  const Layer layer = one_layer("pool", shape_of(4, {9, 9}), {{"kernel", std::int64_t{3}}});
  EXPECT_EQ(to_text(layer.output), "4x3x3");
}

TEST(Pool, OverEverythingIsASumForTheMeanOnly) {
  const Attributes all{{"kernel", std::int64_t{7}}};
  const Attributes mean{{"kernel", std::int64_t{7}}, {"mode", kAverage}};
  EXPECT_EQ(one_layer("pool", shape_of(4, {7, 7}), mean).reach, Reach::global);
  EXPECT_EQ(one_layer("pool", shape_of(4, {7, 7}), all).reach, Reach::whole);
  // One position is left, but a window of 7 did not see all of 8.
  EXPECT_EQ(one_layer("pool", shape_of(4, {8, 8}), mean).reach, Reach::whole);
}

TEST(Pool, RefusesWindowsThatWouldSeePaddingOnly) {
  EXPECT_THAT(
      refusal("pool", shape_of(4, {8, 8}), {{"kernel", std::int64_t{2}}, {"pad", std::int64_t{2}}}),
      HasSubstr("the padding is as wide as the window"));
  EXPECT_THAT(refusal("pool", shape_of(4, {8, 8}),
                      {{"kernel", std::int64_t{2}}, {"mode", std::string("mean")}}),
              HasSubstr("\"mode\" is \"mean\""));
}

TEST(AdaptivePool, ToOneIsAGlobalPool) {
  const Layer layer = adaptive(7, 1, kAverage);
  EXPECT_EQ(layer.reach, Reach::global);
  EXPECT_THAT(layer.window.kernel, ElementsAre(1, 7, 7));
  EXPECT_EQ(to_text(layer.output), "16");
  EXPECT_EQ(adaptive(7, 1, "max").reach, Reach::whole);
}

TEST(AdaptivePool, ToTheInputsExtentsIsAView) {
  const Layer layer = adaptive(6, 6, "max");
  EXPECT_EQ(layer.reach, Reach::pointwise);
  EXPECT_EQ(layer.of(Pass::forward), PassWork{});
  EXPECT_FALSE(layer.keeps_input || layer.keeps_output);
  EXPECT_TRUE(layer.in_place);
}

TEST(AdaptivePool, UsesTheWindowOfPyTorchWhereItIsRegular) {
  const Layer even = adaptive(14, 7, kAverage);
  EXPECT_THAT(even.window.kernel, ElementsAre(1, 2, 2));
  EXPECT_THAT(even.window.stride, ElementsAre(1, 2, 2));
  // PyTorch's seven windows over 8 start at 0..6 and hold two elements each.
  const Layer odd = adaptive(8, 7, kAverage);
  EXPECT_THAT(odd.window.kernel, ElementsAre(1, 2, 2));
  EXPECT_THAT(odd.window.stride, ElementsAre(1, 1, 1));
  EXPECT_EQ(odd.output[Axis::width], 7);
}

TEST(AdaptivePool, DoesNotWiden) {
  EXPECT_THAT(refusal("adaptive_pool", shape_of(16, {4, 4}), {{"output", std::int64_t{7}}}),
              HasSubstr("the height of its input is 4, less than the 7"));
}

}  // namespace pool_test
}  // namespace oracle
