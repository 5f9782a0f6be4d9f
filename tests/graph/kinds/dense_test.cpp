#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace dense_test {

using testing::HasSubstr;

TEST(Dense, IsAMatrixProduct) {
  const Layer layer = one_layer("dense", shape_of(25088), {{"features", std::int64_t{4096}}});
  EXPECT_EQ(layer.parameters(), 102764544);
  EXPECT_EQ(to_text(layer.output), "4096");
  EXPECT_EQ(layer.reduction, 25088);
  EXPECT_EQ(layer.mixing, Mixing::contraction);
  EXPECT_EQ(layer.reach, Reach::whole);
  EXPECT_EQ(layer.flops(Pass::forward), (2.0 * 25088 + 1) * 4096);
  EXPECT_EQ(layer.flops(Pass::backward_data), 2.0 * 25088 * 4096);
}

TEST(Dense, AppliesAtEveryPositionOfASequence) {
  Shape tokens = shape_of(768);
  tokens[Axis::sequence] = 128;
  const Layer layer = one_layer("dense", tokens, {{"features", std::int64_t{3072}}});
  EXPECT_EQ(layer.output.elements(), 3072 * 128);
  EXPECT_EQ(layer.reach, Reach::pointwise);
  EXPECT_EQ(layer.parameters(), 768 * 3072 + 3072);
}

TEST(Dense, WantsAFlatInput) {
  EXPECT_THAT(refusal("dense", shape_of(512, {7, 7}), {{"features", std::int64_t{10}}}),
              HasSubstr("its input is 512x7x7 and must be flat; put a \"flatten\""));
}

}  // namespace dense_test
}  // namespace oracle
