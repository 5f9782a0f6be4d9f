#include <gtest/gtest.h>

#include "oracle/graph/kinds/kind.h"
#include "tests/graph/one_layer.h"

namespace oracle {
namespace kinds_loss_test {

TEST(SoftmaxLoss, YieldsOneNumberPerSample) {
  const Layer layer = one_layer("softmax_loss", shape_of(1000));
  EXPECT_EQ(layer.output.elements(), 1);
  EXPECT_EQ(layer.flops(Pass::forward), 4000.0);
  EXPECT_EQ(layer.flops(Pass::backward_data), 5000.0);
  EXPECT_TRUE(layer.kind->is_loss && layer.keeps_input);
  EXPECT_EQ(layer.reach, Reach::whole);
  EXPECT_EQ(layer.mixing, Mixing::whole);
}

TEST(SoftmaxLoss, CountsEveryPositionOfASegmentationAndSumsOverThem) {
  const Layer layer = one_layer("softmax_loss", shape_of(3, {8, 8, 8}));
  EXPECT_EQ(layer.flops(Pass::forward), 4.0 * 3 * 512);
  EXPECT_EQ(layer.reach, Reach::global);
}

TEST(MeanSquaredLoss, IsThreeOperationsPerTarget) {
  const Layer layer = one_layer("mean_squared_loss", shape_of(4));
  EXPECT_EQ(layer.output.elements(), 1);
  EXPECT_EQ(layer.flops(Pass::forward), 12.0);
  EXPECT_EQ(layer.flops(Pass::backward_data), 8.0);
  EXPECT_TRUE(layer.kind->is_loss);
}

}  // namespace kinds_loss_test
}  // namespace oracle
