#include "validate/bench/alone.h"

#include <cmath>
#include <gtest/gtest.h>

#include "oracle/graph/graph.h"

namespace oracle {
namespace alone_test {

/// A 3x3 convolution of 16 to 32 features on 8x8, whole.
struct Convolution {
  Layer layer;
  LocalLayer local;

  explicit Convolution(std::int64_t samples) {
    GraphBuilder builder("net");
    Shape shape;
    shape[Axis::channel] = 16;
    shape[Axis::height] = shape[Axis::width] = 8;
    builder.input(shape);
    builder.add(
        "conv", "convolution", {0},
        {{"features", std::int64_t{32}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}});
    layer = builder.so_far()[1];
    local.layer = &layer;
    local.inputs = {{samples, 16, 1, 8, 8}};
    local.output = {samples, 32, 1, 8, 8};
    local.window = layer.window;
  }
  Convolution(const Convolution&) = delete;
  Convolution& operator=(const Convolution&) = delete;
};

TEST(Alone, RunsEveryPassOfAConvolution) {
  const Convolution convolution(2);
  ASSERT_TRUE(can_run_alone(convolution.local));
  Alone alone;
  for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
    const double seconds = alone.best_seconds(convolution.local, pass, 2);
    EXPECT_GT(seconds, 0);
    EXPECT_TRUE(std::isfinite(seconds));
  }
}

TEST(Alone, KnowsWhatOneDnnHasAKernelFor) {
  const Convolution convolution(2);
  const Alone alone;
  EXPECT_TRUE(alone.has_kernel(convolution.local, Pass::forward, 0, 0));
  EXPECT_FALSE(alone.has_kernel(convolution.local, Pass::forward, 4, 1))
      << "no kernel takes inputs in blocks of 4 to plain outputs";
}

TEST(Alone, ShapesAreToldApart) {
  const Convolution one(1), two(2), like(2);
  EXPECT_EQ(shape_of(two.local, Pass::forward), shape_of(like.local, Pass::forward));
  EXPECT_NE(shape_of(two.local, Pass::forward), shape_of(one.local, Pass::forward));
  EXPECT_NE(shape_of(two.local, Pass::forward), shape_of(two.local, Pass::backward_data));
}

TEST(Alone, TakesNeitherTransposedConvolutionsNorOtherLayers) {
  Convolution convolution(1);
  convolution.layer.transposed = true;
  EXPECT_FALSE(can_run_alone(convolution.local));
  convolution.layer.transposed = false;
  convolution.layer.reduction = 0;
  EXPECT_FALSE(can_run_alone(convolution.local));
}

}  // namespace alone_test
}  // namespace oracle
