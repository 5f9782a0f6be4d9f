#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace kinds_batch_norm_test {

TEST(BatchNorm, HasTwoParametersAndTwoStatisticsPerChannel) {
  const Layer layer = one_layer("batch_norm", shape_of(64, {112, 112}));
  EXPECT_EQ(layer.parameters(), 128);
  EXPECT_TRUE(layer.batch_statistics);
  EXPECT_EQ(layer.statistics, 128);
  EXPECT_EQ(layer.mixing, Mixing::channelwise);
  EXPECT_EQ(layer.output, layer.input);
  EXPECT_EQ(layer.weights[0].features_out, layer.output.channels());
}

TEST(BatchNorm, ReadsItsInputTwiceForwardAndKeepsIt) {
  const Layer layer = one_layer("batch_norm", shape_of(64, {112, 112}));
  EXPECT_EQ(layer.of(Pass::forward).input_touches, 2);
  EXPECT_EQ(layer.of(Pass::forward).output_touches, 1);
  EXPECT_EQ(layer.of(Pass::backward_data).input_touches, 3);
  EXPECT_EQ(layer.of(Pass::backward_data).output_touches, 2);
  EXPECT_TRUE(layer.keeps_input);
  EXPECT_FALSE(layer.keeps_output);
  EXPECT_FALSE(layer.in_place);
}

TEST(BatchNorm, TrainsNothingWhereNotAffine) {
  const Layer layer = one_layer("batch_norm", shape_of(64, {8, 8}), {{"affine", false}});
  EXPECT_FALSE(layer.trainable());
  EXPECT_EQ(layer.flops(Pass::backward_weights), 0);
  EXPECT_EQ(layer.statistics, 128);
}

}  // namespace kinds_batch_norm_test
}  // namespace oracle
