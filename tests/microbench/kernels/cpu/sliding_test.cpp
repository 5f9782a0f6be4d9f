#include "microbench/kernels/cpu/sliding.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace sliding_test {

/// A window of one row over a line, stride 2.
Sliding over_line(std::int64_t extent, std::int64_t steps, std::int64_t before) {
  const OneLayer one("convolution", {1, 1, 1, 1, 16},
                     {{"features", 1}, {"kernel", 1}, {"stride", 2}});
  LocalLayer layer = one.whole(1);
  layer.inputs[0].width = extent;
  layer.output.width = steps;
  layer.window.pad_before[2] = before;
  return slide_over(layer, layer.inputs[0], layer.output);
}

TEST(Sliding, CutsOffWhatNoWindowReads) {
  const Sliding sliding = over_line(9, 2, 0);
  EXPECT_EQ(sliding.part.begin.width, 0);
  EXPECT_EQ(sliding.part.size.width, 3);
  EXPECT_EQ(sliding.pad_after, (dnnl::memory::dims{0}));
  EXPECT_FALSE(sliding.whole);
}

TEST(Sliding, BeginsWithTheFirstWindow) {
  const Sliding sliding = over_line(9, 2, -1);
  EXPECT_EQ(sliding.part.begin.width, 1);
  EXPECT_EQ(sliding.part.size.width, 3);
}

TEST(Sliding, LeavesLessThanAStrideToTheLibrary) {
  const Sliding sliding = over_line(4, 2, 0);
  EXPECT_TRUE(sliding.whole);
  EXPECT_EQ(sliding.pad_after, (dnnl::memory::dims{-1}));
}

TEST(Sliding, RefusesAPieceThatNoWindowReads) { EXPECT_THROW(over_line(2, 1, -2), Defect); }

}  // namespace sliding_test
}  // namespace oracle
