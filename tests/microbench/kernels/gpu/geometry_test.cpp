// What cuDNN computes from a geometry must be what the window reads: each tap of each step, by the
// tensor's positions.

#include "microbench/kernels/gpu/device/movement/geometry.h"

#include <gtest/gtest.h>

#include "tests/microbench/kernels/harness.h"

namespace oracle::gpu {
namespace gpu_geometry_test {

/// A window over a line.
struct Line {
  std::int64_t extent, steps, kernel, stride, dilation, before, after;
};

LocalLayer layer_of(const OneLayer& one, const Line& line) {
  LocalLayer layer = one.whole(1);
  layer.inputs[0].width = line.extent;
  layer.output.width = line.steps;
  layer.window.kernel[2] = line.kernel;
  layer.window.stride[2] = line.stride;
  layer.window.dilation[2] = line.dilation;
  layer.window.pad_before[2] = line.before;
  layer.window.pad_after[2] = line.after;
  return layer;
}

/// The tensor's position that cuDNN reads, −1 for padding.
std::int64_t read_by(const Geometry& g, std::int64_t step, std::int64_t tap) {
  const std::int64_t at = step * g.stride[2] + tap * g.dilation[2] - g.pad[2];
  if (at < 0 || at >= g.wide.width) return -1;
  const std::int64_t in_part = at - g.place.width;
  if (in_part < 0 || in_part >= g.part.size.width) return -1;
  return g.part.begin.width + in_part;
}

const Line kLines[] = {
    {16, 16, 3, 1, 1, 1, 1}, {5, 4, 3, 1, 1, 1, 0}, {5, 4, 3, 1, 1, 0, 1}, {6, 4, 3, 1, 1, 0, 0},
    {5, 2, 3, 2, 1, 1, 0},   {7, 3, 3, 1, 2, 0, 0}, {9, 3, 2, 2, 1, 0, 0}, {8, 3, 2, 2, 1, -1, 0},
    {12, 2, 2, 3, 1, -2, 0}, {4, 6, 3, 1, 1, 2, 2}, {4, 8, 3, 1, 1, 3, 3}, {23, 12, 7, 2, 1, 3, 3},
    {8, 4, 1, 2, 1, 0, 0},   {2, 3, 3, 1, 1, 5, 0},
};

class Geometries : public testing::TestWithParam<Line> {};

TEST_P(Geometries, ReadWhatTheWindowReads) {
  const Line& line = GetParam();
  const OneLayer one("convolution", {1, 1, 1, 1, 16}, {{"features", 1}, {"kernel", 3}});
  const LocalLayer layer = layer_of(one, line);
  const Geometry g = slide_over(layer, layer.inputs[0], layer.output);
  // cuDNN's own rule for the output's extent.
  const std::int64_t reach = (line.kernel - 1) * line.dilation + 1;
  EXPECT_EQ(1 + (g.wide.width + 2 * g.pad[2] - reach) / g.stride[2], line.steps);
  for (std::int64_t step = 0; step < line.steps; ++step) {
    for (std::int64_t tap = 0; tap < line.kernel; ++tap) {
      const std::int64_t wanted = step * line.stride + tap * line.dilation - line.before;
      const bool inside = wanted >= 0 && wanted < line.extent;
      EXPECT_EQ(read_by(g, step, tap), inside ? wanted : -1) << "step " << step << ", tap " << tap;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Geometries, testing::ValuesIn(kLines));

TEST(Geometry, LeavesATensorThatFitsAlone) {
  const OneLayer one("convolution", {1, 3, 1, 16, 16},
                     {{"features", 4}, {"kernel", 3}, {"pad", 1}});
  const LocalLayer layer = one.whole(2);
  const Geometry g = slide_over(layer, layer.inputs[0], layer.output);
  EXPECT_TRUE(g.whole);
  EXPECT_EQ(g.wide, layer.inputs[0]);
  EXPECT_EQ(g.rank, 2U);
}

TEST(Geometry, CopiesOnePositionOfPaddingBefore) {
  const OneLayer one("convolution", {1, 1, 1, 1, 16}, {{"features", 1}, {"kernel", 3}});
  const LocalLayer layer = layer_of(one, {5, 4, 3, 1, 1, 1, 0});
  const Geometry g = slide_over(layer, layer.inputs[0], layer.output);
  EXPECT_FALSE(g.whole);
  EXPECT_EQ(g.wide.width, 6);
  EXPECT_EQ(g.place.width, 1);
  EXPECT_EQ(g.part.size.width, 5);
  EXPECT_EQ(g.pad[2], 0);
}

}  // namespace gpu_geometry_test
}  // namespace oracle::gpu
