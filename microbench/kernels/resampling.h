#pragma once
// Which positions of its input does a position of a resampled tensor read, along one axis?
//
// The middles of positions are compared, each half a position from its edge; the nearest of two
// that are equally near is the later. As oneDNN has it, and ONNX by "half_pixel". A slab of a
// widening by whole factors (which alone is cut) reads with a window: position o of the output
// takes (o + pad)/factor.
//
//   Worked: 3 positions to 6, linear: position 2 lies at 0.75, and reads 1/4 of 0 and 3/4 of 1
//                                             tests/microbench/kernels/resampling_test.cpp

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "microbench/kernels/kernel.h"

namespace oracle {

/// What one output position reads: two neighbours and their shares.
struct Read {
  std::int64_t first = 0, second = 0;
  float of_first = 1, of_second = 0;
};
using Reads = std::vector<Read>;

inline Read read_at(std::int64_t o, std::int64_t in, std::int64_t out, bool linear) {
  const double at =
      (static_cast<double>(o) + 0.5) * static_cast<double>(in) / static_cast<double>(out) - 0.5;
  const auto inside = [in](std::int64_t i) { return std::clamp<std::int64_t>(i, 0, in - 1); };
  if (!linear) return {inside(std::llround(at)), 0, 1, 0};
  const double below = std::floor(at);
  const auto share = static_cast<float>(at - below);
  const auto i = static_cast<std::int64_t>(below);
  return {inside(i), inside(i + 1), 1 - share, share};
}

/// Of a slab, whose window may begin before its input and end behind it.
inline Read read_of_slab(std::int64_t o, std::int64_t factor, std::int64_t in) {
  const bool inside = o >= 0 && o / factor < in;
  return inside ? Read{o / factor, 0, 1, 0} : Read{0, 0, 0, 0};
}

/// Of a piece, along `axis` (depth, height, width), from `in` positions to `out`.
inline Reads reads_along(const LocalLayer& local, std::size_t axis, std::int64_t in,
                         std::int64_t out) {
  const Layer& layer = *local.layer;
  Reads reads;
  for (std::int64_t o = 0; o < out; ++o) {
    if (layer.reach == Reach::windowed) {
      reads.push_back(
          read_of_slab(o + local.window.pad_before[axis], local.window.kernel[axis], in));
    } else {
      reads.push_back(read_at(o, in, out, layer.variant == "linear"));
    }
  }
  return reads;
}

}  // namespace oracle
