#include "oracle/plan/layout/slide.h"

#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace slide_test {

constexpr std::size_t kHeight = 1;

Layer window_on(std::int64_t rows, std::int64_t kernel, std::int64_t stride, std::int64_t pad,
                std::int64_t dilation) {
  return one_layer("convolution", shape_of(4, {rows, rows}),
                   {{"features", std::int64_t{4}},
                    {"kernel", kernel},
                    {"stride", stride},
                    {"pad", pad},
                    {"dilation", dilation}});
}

TEST(Slide, WorkedExample) {
  const Slide slide = slide_of(window_on(8, 3, 2, 1, 1), kHeight);
  EXPECT_EQ(slide.read_by({2, 4}), (Positions{3, 8}));
  EXPECT_EQ(slide.touched_by({4, 8}), (Positions{2, 5}));
}

TEST(Slide, OfATransposedLayerIsWideWhereItWrites) {
  const Layer layer = one_layer(
      "transposed_convolution", shape_of(4, {8, 8}),
      {{"features", std::int64_t{4}}, {"kernel", std::int64_t{2}}, {"stride", std::int64_t{2}}});
  const Slide slide = slide_of(layer, kHeight);
  EXPECT_EQ(slide.wide, 16);
  EXPECT_EQ(slide.narrow, 8);
}

/// Every pair that a window joins lies inside both ranges, and the outermost reach their ends.
TEST(Slide, AgreesWithListingPairs) {
  for (const auto& [kernel, stride, pad, dilation] :
       {std::array<std::int64_t, 4>{3, 1, 1, 1}, {7, 2, 3, 1}, {3, 2, 2, 2}, {2, 3, 0, 1}}) {
    const Slide slide = slide_of(window_on(23, kernel, stride, pad, dilation), kHeight);
    for (std::int64_t o = 0; o < slide.narrow; ++o) {
      const Positions read = slide.read_by({o, o + 1});
      EXPECT_EQ(read.begin, o * stride - pad);
      EXPECT_EQ(read.end, o * stride - pad + (kernel - 1) * dilation + 1);
      for (std::int64_t i = read.begin; i < read.end; i += dilation) {
        const Positions touched = slide.touched_by({i, i + 1});
        EXPECT_LE(touched.begin, o);
        EXPECT_GT(touched.end, o);
      }
    }
  }
}

}  // namespace slide_test
}  // namespace oracle
