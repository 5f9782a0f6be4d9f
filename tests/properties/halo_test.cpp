// With its halo a slab has every plane it reads; with one plane less some rank lacks one. What is
// sent is what the neighbours of the busiest rank lack.
//
// Taken literally: for every kernel, stride, pad, dilation, extent and degree that a layer may
// have, each rank's outputs list the inputs they read (and its inputs the outputs that read them).

#include "oracle/plan/layout/halo.h"

#include <functional>
#include <gtest/gtest.h>
#include <ostream>
#include <vector>

#include "oracle/graph/kinds/window.h"

namespace oracle {

void PrintTo(const Halo& halo, std::ostream* out) {
  *out << halo.before << " before, " << halo.after << " after, " << halo.sent << " sent, "
       << halo.returned << " returned, " << halo.held << " held";
}

namespace properties_halo_test {

constexpr std::size_t kHeight = 1;

struct Slab {
  std::int64_t begin, end;
};

Slab slab(std::int64_t rank, std::int64_t extent, std::int64_t degree) {
  return {slab_begin(rank, extent, degree), slab_begin(rank + 1, extent, degree)};
}

/// Calls visit(output, input) for every pair that a window joins.
template <typename Visit>
void on_pairs(const Layer& layer, Visit visit) {
  const Window& w = layer.window;
  const std::int64_t in = layer.input[Axis::height], out = layer.output[Axis::height];
  for (std::int64_t o = 0; o < out; ++o) {
    for (std::int64_t k = 0; k < w.kernel[kHeight]; ++k) {
      const std::int64_t i =
          o * w.stride[kHeight] - w.pad_before[kHeight] + k * w.dilation[kHeight];
      if (i >= 0 && i < in) visit(o, i);
    }
  }
}

/// The halo that the pairs ask for, of inputs (forward) or of output gradients.
Halo literal(const Layer& layer, std::int64_t degree, bool forward) {
  const std::int64_t in = layer.input[Axis::height], out = layer.output[Axis::height];
  const std::int64_t held = forward ? in : out, shared = forward ? out : in;
  std::vector<Halo> lacks(static_cast<std::size_t>(degree) + 2);  // of rank r at r + 1
  on_pairs(layer, [&](std::int64_t o, std::int64_t i) {
    const std::int64_t wanted = forward ? i : o, worked = forward ? o : i;
    for (std::int64_t r = 0; r < degree; ++r) {
      const Slab work = slab(r, shared, degree), own = slab(r, held, degree);
      if (worked < work.begin || worked >= work.end) continue;
      Halo& lack = lacks[static_cast<std::size_t>(r + 1)];
      lack.before = std::max(lack.before, own.begin - wanted);
      lack.after = std::max(lack.after, wanted + 1 - own.end);
    }
  });
  Halo most;
  for (std::size_t r = 1; r + 1 < lacks.size(); ++r) {
    most.before = std::max(most.before, lacks[r].before);
    most.after = std::max(most.after, lacks[r].after);
    most.sent = std::max(most.sent, lacks[r - 1].after + lacks[r + 1].before);
    most.returned = std::max(most.returned, lacks[r].before + lacks[r].after);
    const Slab own = slab(static_cast<std::int64_t>(r) - 1, held, degree);
    most.held = std::max(most.held, own.end - own.begin + lacks[r].before + lacks[r].after);
  }
  return most;
}

/// Calls check(layer, degree) for every window that slides over an axis long enough to cut.
void on_windows(const std::function<void(const Layer&, std::int64_t)>& check) {
  int windows = 0;
  for (const std::int64_t kernel : {1, 2, 3, 5, 7}) {
    for (const std::int64_t stride : {1, 2, 3, 4}) {
      for (const std::int64_t dilation : {1, 2, 3}) {
        const std::int64_t span = dilation * (kernel - 1);
        for (std::int64_t pad = 0; pad <= span && pad <= 4; ++pad) {
          for (std::int64_t extent = 4; extent <= 21; ++extent) {
            if (extent + 2 * pad < span + 1) continue;
            Layer layer;
            layer.window.kernel[kHeight] = kernel;
            layer.window.stride[kHeight] = stride;
            layer.window.dilation[kHeight] = dilation;
            layer.window.pad_before[kHeight] = pad;
            layer.window.pad_after[kHeight] = pad;
            layer.input[Axis::height] = extent;
            layer.output = slide(layer.window, layer.input);
            layer.reach = Reach::windowed;
            const std::int64_t most = std::min(extent, layer.output[Axis::height]);
            for (std::int64_t degree = 2; degree <= std::min<std::int64_t>(most, 5); ++degree) {
              ++windows;
              check(layer, degree);
            }
          }
        }
      }
    }
  }
  EXPECT_GE(windows, 5000);
}

std::string to_text(const Layer& layer, std::int64_t degree) {
  const Window& w = layer.window;
  return "kernel " + std::to_string(w.kernel[kHeight]) + " stride " +
         std::to_string(w.stride[kHeight]) + " pad " + std::to_string(w.pad_before[kHeight]) +
         " dilation " + std::to_string(w.dilation[kHeight]) + " on " +
         std::to_string(layer.input[Axis::height]) + " over " + std::to_string(degree) + " ranks";
}

bool covers(const Halo& halo, const Halo& needed) {
  return halo.before >= needed.before && halo.after >= needed.after && halo.sent >= needed.sent &&
         halo.returned >= needed.returned && halo.held >= needed.held;
}

TEST(HaloLaws, EverySlabHasAllThatItReads) {
  on_windows([](const Layer& layer, std::int64_t degree) {
    if (testing::Test::HasFailure()) return;
    SCOPED_TRACE(to_text(layer, degree));
    EXPECT_TRUE(covers(forward_halo(layer, kHeight, degree), literal(layer, degree, true)));
    EXPECT_TRUE(covers(backward_halo(layer, kHeight, degree), literal(layer, degree, false)));
  });
}

TEST(HaloLaws, OnePlaneLessIsNotEnough) {
  int loose = 0, all = 0;
  on_windows([&](const Layer& layer, std::int64_t degree) {
    SCOPED_TRACE(to_text(layer, degree));
    const bool tight = forward_halo(layer, kHeight, degree) == literal(layer, degree, true) &&
                       backward_halo(layer, kHeight, degree) == literal(layer, degree, false);
    ++all;
    loose += tight ? 0 : 1;
    if (layer.window.dilation[kHeight] == 1) {
      EXPECT_EQ(forward_halo(layer, kHeight, degree), literal(layer, degree, true));
      EXPECT_EQ(backward_halo(layer, kHeight, degree), literal(layer, degree, false));
    }
  });
  EXPECT_LE(loose, all / 10) << all;
}

}  // namespace properties_halo_test
}  // namespace oracle
