#include "oracle/plan/layout/halo.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace plan_halo_test {

constexpr std::size_t kHeight = 1, kWidth = 2;

Layer window_on(std::int64_t rows, std::int64_t kernel, std::int64_t stride, std::int64_t pad,
                std::int64_t dilation = 1) {
  return one_layer("convolution", shape_of(4, {rows, rows}),
                   {{"features", std::int64_t{4}},
                    {"kernel", kernel},
                    {"stride", stride},
                    {"pad", pad},
                    {"dilation", dilation}});
}

TEST(Halo, OfA3x3WindowIsARowFromEachSideBothWays) {
  const Layer layer = window_on(56, 3, 1, 1);
  for (const std::size_t axis : {kHeight, kWidth}) {
    for (const Halo& halo : {forward_halo(layer, axis, 4), backward_halo(layer, axis, 4)}) {
      EXPECT_EQ(halo.before, 1);
      EXPECT_EQ(halo.after, 1);
      EXPECT_EQ(halo.sent, 2);
      EXPECT_EQ(halo.returned, 2);
      EXPECT_EQ(halo.held, 16);
    }
  }
}

TEST(Halo, OfAStridedWindowComesFromOneSide) {
  const Halo halo = forward_halo(window_on(56, 3, 2, 1), kHeight, 4);
  EXPECT_EQ(halo.before, 1);
  EXPECT_EQ(halo.after, 0);
  EXPECT_EQ(halo.sent, 1);
}

TEST(Halo, OfTwoSlabsIsOneSidedForEither) {
  // Each of two slabs has one neighbour, so no rank sends more than one row.
  const Layer layer = window_on(56, 3, 1, 1);
  EXPECT_EQ(forward_halo(layer, kHeight, 2).before, 1);
  EXPECT_EQ(forward_halo(layer, kHeight, 2).after, 1);
  EXPECT_EQ(forward_halo(layer, kHeight, 2).sent, 1);
  EXPECT_EQ(backward_halo(layer, kHeight, 2).sent, 1);
}

TEST(Halo, OfWindowsThatTileIsNothing) {
  const Layer layer = window_on(56, 2, 2, 0);
  EXPECT_EQ(forward_halo(layer, kHeight, 4).sent, 0);
  EXPECT_EQ(backward_halo(layer, kHeight, 4).sent, 0);
  EXPECT_EQ(forward_halo(window_on(56, 1, 1, 0), kHeight, 4).sent, 0);
}

TEST(Halo, GrowsWithKernelAndDilation) {
  EXPECT_EQ(forward_halo(window_on(56, 7, 1, 3), kHeight, 4).sent, 6);
  EXPECT_EQ(forward_halo(window_on(56, 3, 1, 2, 2), kHeight, 4).sent, 4);
  EXPECT_EQ(backward_halo(window_on(56, 3, 1, 2, 2), kHeight, 4).sent, 4);
}

TEST(Halo, OfAGlobalPoolIsNothing) {
  const Layer pool = one_layer("adaptive_pool", shape_of(4, {8, 8}), {{"mode", "average"}});
  EXPECT_EQ(forward_halo(pool, kHeight, 4).sent, 0);
  EXPECT_EQ(backward_halo(pool, kHeight, 4).sent, 0);
}

/// Planes that slabs lack, found by listing who reads what.
struct Listed {
  std::int64_t before = 0, after = 0, sent = 0, returned = 0, held = 0;
};

Listed list_lacking(const Layer& layer, std::int64_t degree, bool forward) {
  const std::int64_t in = layer.input[Axis::height], out = layer.output[Axis::height];
  const Window& w = layer.window;
  const std::int64_t own = forward ? in : out, other = forward ? out : in;
  const std::int64_t narrow = layer.transposed ? in : out, wide = layer.transposed ? out : in;
  // Forward makes outputs; a transposed layer's are the wide side of its window.
  const bool makes_narrow = forward != layer.transposed;
  std::vector<std::int64_t> sent(static_cast<std::size_t>(degree), 0);
  const auto owner = [&](std::int64_t plane) {
    std::int64_t r = 0;
    while ((r + 1) * own / degree <= plane) ++r;
    return r;
  };
  Listed most;
  for (std::int64_t r = 0; r < degree; ++r) {
    std::set<std::int64_t> before, after;
    for (std::int64_t n = 0; n < narrow; ++n) {
      for (std::int64_t k = 0; k < w.kernel[kHeight]; ++k) {
        const std::int64_t i =
            n * w.stride[kHeight] - w.pad_before[kHeight] + k * w.dilation[kHeight];
        if (i < 0 || i >= wide) continue;
        const std::int64_t made = makes_narrow ? n : i, read = makes_narrow ? i : n;
        if (made < r * other / degree || made >= (r + 1) * other / degree) continue;
        if (read < r * own / degree) before.insert(read);
        if (read >= (r + 1) * own / degree) after.insert(read);
      }
    }
    // All planes from the outermost one needed to the slab's edge travel.
    const std::int64_t b = before.empty() ? 0 : r * own / degree - *before.begin();
    const std::int64_t a = after.empty() ? 0 : *after.rbegin() + 1 - (r + 1) * own / degree;
    most.before = std::max(most.before, b);
    most.after = std::max(most.after, a);
    most.returned = std::max(most.returned, b + a);
    most.held = std::max(most.held, b + a + (r + 1) * own / degree - r * own / degree);
    for (std::int64_t p = r * own / degree - b; p < r * own / degree; ++p) {
      ++sent[static_cast<std::size_t>(owner(p))];
    }
    for (std::int64_t p = 0; p < a; ++p) {
      ++sent[static_cast<std::size_t>(owner((r + 1) * own / degree + p))];
    }
  }
  most.sent = *std::max_element(sent.begin(), sent.end());
  return most;
}

TEST(Halo, AgreesWithListingWhoReadsWhat) {
  int compared = 0;
  for (const std::int64_t rows : {24, 29, 40}) {
    for (const std::int64_t kernel : {1, 2, 3, 5, 7}) {
      for (const std::int64_t stride : {1, 2, 3}) {
        for (const std::int64_t pad : {std::int64_t{0}, kernel / 2}) {
          for (const std::int64_t degree : {2, 3, 4}) {
            const Layer layer = window_on(rows, kernel, stride, pad);
            for (const bool forward : {true, false}) {
              const Halo halo = forward ? forward_halo(layer, kHeight, degree)
                                        : backward_halo(layer, kHeight, degree);
              const Listed listed = list_lacking(layer, degree, forward);
              // A slab thinner than its halo is refused by the plan.
              const std::int64_t slab = (forward ? rows : layer.output[Axis::height]) / degree;
              if (std::max(listed.before, listed.after) > slab) continue;
              ++compared;
              EXPECT_EQ(halo.before, listed.before) << rows << ' ' << kernel << ' ' << stride << ' '
                                                    << pad << ' ' << degree << forward;
              EXPECT_EQ(halo.after, listed.after) << rows << ' ' << kernel << ' ' << stride << ' '
                                                  << pad << ' ' << degree << forward;
              EXPECT_EQ(halo.sent, listed.sent) << rows << ' ' << kernel << ' ' << stride << ' '
                                                << pad << ' ' << degree << forward;
              EXPECT_EQ(halo.returned, listed.returned) << rows << ' ' << kernel << ' ' << stride
                                                        << ' ' << pad << ' ' << degree << forward;
              if (layer.reach != Reach::windowed) continue;
              EXPECT_EQ(halo.held, listed.held) << rows << ' ' << kernel << ' ' << stride << ' '
                                                << pad << ' ' << degree << forward;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 400);
}

TEST(Halo, OfATransposedConvolutionAgreesToo) {
  int compared = 0;
  for (const std::int64_t rows : {12, 15, 20}) {
    for (const std::int64_t kernel : {2, 3, 4}) {
      for (const std::int64_t degree : {2, 3, 4}) {
        const Layer layer = one_layer(
            "transposed_convolution", shape_of(4, {rows, rows}),
            {{"features", std::int64_t{4}}, {"kernel", kernel}, {"stride", std::int64_t{2}}});
        for (const bool forward : {true, false}) {
          const Halo halo = forward ? forward_halo(layer, kHeight, degree)
                                    : backward_halo(layer, kHeight, degree);
          const Listed listed = list_lacking(layer, degree, forward);
          ++compared;
          EXPECT_EQ(halo.before, listed.before)
              << rows << ' ' << kernel << ' ' << degree << forward;
          EXPECT_EQ(halo.after, listed.after) << rows << ' ' << kernel << ' ' << degree << forward;
          EXPECT_EQ(halo.sent, listed.sent) << rows << ' ' << kernel << ' ' << degree << forward;
        }
      }
    }
  }
  EXPECT_EQ(compared, 54);
  // Doubling without overlap: where slabs line up, no one needs anything.
  const Layer doubling = one_layer(
      "transposed_convolution", shape_of(4, {16, 16}),
      {{"features", std::int64_t{4}}, {"kernel", std::int64_t{2}}, {"stride", std::int64_t{2}}});
  EXPECT_EQ(forward_halo(doubling, kHeight, 4).sent, 0);
  EXPECT_EQ(backward_halo(doubling, kHeight, 4).sent, 0);
}

TEST(Slabs, CoverTheAxisOnce) {
  for (const std::int64_t extent : {7, 8, 56}) {
    for (std::int64_t p = 1; p <= extent; ++p) {
      EXPECT_EQ(slab_begin(0, extent, p), 0);
      EXPECT_EQ(slab_begin(p, extent, p), extent);
      for (std::int64_t r = 0; r < p; ++r) {
        EXPECT_LT(slab_begin(r, extent, p), slab_begin(r + 1, extent, p));
      }
    }
  }
}

}  // namespace plan_halo_test
}  // namespace oracle
