#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace {

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

}  // namespace
}  // namespace oracle
