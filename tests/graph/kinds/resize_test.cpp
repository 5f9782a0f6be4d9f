#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace resize_test {

using testing::HasSubstr;

Layer resized(const char* mode, std::int64_t extent) {
  return one_layer("resize", shape_of(64, {14, 14}),
                   {{"mode", std::string(mode)}, {"extents", extent}});
}

TEST(Resize, MixesTwoNeighboursPerAxis) {
  const Layer layer = resized("linear", 28);
  EXPECT_EQ(to_text(layer.output), "64x28x28");
  EXPECT_EQ(layer.flops(Pass::forward), 8.0 * 64 * 28 * 28);
  EXPECT_EQ(layer.flops(Pass::backward_data), layer.flops(Pass::forward));
  EXPECT_EQ(layer.reach, Reach::whole);
}

TEST(Resize, OfTheNearestByAWholeFactorIsCutWithoutHalos) {
  const Layer layer = resized("nearest", 42);
  EXPECT_EQ(layer.reach, Reach::windowed);
  EXPECT_TRUE(layer.transposed);
  EXPECT_EQ(layer.window.stride, layer.window.kernel);
  EXPECT_EQ(layer.window.stride[2], 3);
  EXPECT_EQ(layer.flops(Pass::forward), 0);
  EXPECT_EQ(layer.flops(Pass::backward_data), 64.0 * 42 * 42);
  EXPECT_FALSE(layer.keeps_input || layer.keeps_output);
  EXPECT_EQ(resized("nearest", 20).reach, Reach::whole);
}

TEST(Resize, ToTheSameIsAView) {
  EXPECT_EQ(resized("linear", 14).of(Pass::forward), PassWork{});
  EXPECT_TRUE(resized("nearest", 14).in_place);
}

TEST(Resize, WantsExtents) {
  EXPECT_THAT(refusal("resize", shape_of(64, {14, 14})), HasSubstr("\"extents\" is missing"));
}

}  // namespace resize_test
}  // namespace oracle
