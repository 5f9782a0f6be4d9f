#include <gtest/gtest.h>

#include "oracle/plan/layout/halo.h"
#include "validate/program/pieces.h"

namespace oracle {
namespace program_geometry_test {

/// One axis of a convolution: height `in`, and a window on it.
Layer layer_of(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t pad,
               std::int64_t dilation) {
  Layer layer;
  layer.name = "conv";
  layer.reach = Reach::windowed;
  layer.input[Axis::height] = in;
  layer.window.kernel[1] = kernel;
  layer.window.stride[1] = stride;
  layer.window.pad_before[1] = layer.window.pad_after[1] = pad;
  layer.window.dilation[1] = dilation;
  layer.output[Axis::height] = (in + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  return layer;
}

TEST(Geometry, WorkedExample) {
  const Layer layer = layer_of(8, 3, 2, 1, 1);
  const Fit forward = gathering_fit(layer, 1, {2, 4}, {4, 8});
  EXPECT_EQ(forward.wide, (Interval{3, 8}));
  EXPECT_EQ(forward.pad_before, 0);
  EXPECT_EQ(forward.pad_after, 0);
  const Fit backward = spreading_fit(layer, 1, {4, 8});
  EXPECT_EQ(backward.narrow, (Interval{2, 4}));
  EXPECT_EQ(backward.pad_before, 1);
}

/// Pairs (wide, narrow, tap) that a kernel on the fit's piece joins, in global positions.
std::vector<std::array<std::int64_t, 3>> joined(const Layer& layer, const Fit& fit) {
  const Window& w = layer.window;
  std::vector<std::array<std::int64_t, 3>> pairs;
  for (std::int64_t o = 0; o < fit.narrow.size(); ++o) {
    for (std::int64_t k = 0; k < w.kernel[1]; ++k) {
      const std::int64_t i = o * w.stride[1] + k * w.dilation[1] - fit.pad_before;
      if (i < 0 || i >= fit.wide.size()) continue;
      pairs.push_back({fit.wide.begin + i, fit.narrow.begin + o, k});
    }
  }
  return pairs;
}

/// What the whole layer joins, where `wanted` says so of (wide, narrow).
template <typename Wanted>
std::vector<std::array<std::int64_t, 3>> joined_of_all(const Layer& layer, Wanted wanted) {
  const Window& w = layer.window;
  std::vector<std::array<std::int64_t, 3>> pairs;
  for (std::int64_t o = 0; o < layer.output[Axis::height]; ++o) {
    for (std::int64_t k = 0; k < w.kernel[1]; ++k) {
      const std::int64_t i = o * w.stride[1] + k * w.dilation[1] - w.pad_before[1];
      if (i < 0 || i >= layer.input[Axis::height] || !wanted(i, o)) continue;
      pairs.push_back({i, o, k});
    }
  }
  return pairs;
}

class EveryWindow : public testing::TestWithParam<std::array<std::int64_t, 5>> {};

TEST_P(EveryWindow, PiecesJoinWhatTheWholeLayerJoins) {
  const auto [in, kernel, stride, pad, dilation] = GetParam();
  const Layer layer = layer_of(in, kernel, stride, pad, dilation);
  for (std::int64_t degree = 1; degree <= 3; ++degree) {
    for (std::int64_t r = 0; r < degree; ++r) {
      const auto slab = [&](std::int64_t extent) {
        return Interval{slab_begin(r, extent, degree), slab_begin(r + 1, extent, degree)};
      };
      const Interval narrow = slab(layer.output[Axis::height]), wide = slab(in);
      const auto inside = [](Interval s, std::int64_t p) { return s.begin <= p && p < s.end; };
      EXPECT_EQ(joined(layer, gathering_fit(layer, 1, narrow, wide)),
                joined_of_all(layer, [&](auto, auto o) { return inside(narrow, o); }));
      const Fit backward = spreading_fit(layer, 1, wide);
      EXPECT_GE(backward.pad_before, 0);
      EXPECT_EQ(joined(layer, backward),
                joined_of_all(layer, [&](auto i, auto) { return inside(wide, i); }));
    }
  }
}

// in, kernel, stride, pad, dilation
INSTANTIATE_TEST_SUITE_P(Geometry, EveryWindow,
                         testing::Values(std::array<std::int64_t, 5>{8, 3, 1, 1, 1},
                                         std::array<std::int64_t, 5>{9, 3, 2, 1, 1},
                                         std::array<std::int64_t, 5>{16, 7, 2, 3, 1},
                                         std::array<std::int64_t, 5>{11, 1, 2, 0, 1},
                                         std::array<std::int64_t, 5>{12, 2, 2, 0, 1},
                                         std::array<std::int64_t, 5>{13, 3, 1, 2, 2},
                                         std::array<std::int64_t, 5>{14, 5, 3, 2, 1}));

}  // namespace program_geometry_test
}  // namespace oracle
