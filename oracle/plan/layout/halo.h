#pragma once
// How many planes does a slab need from its neighbours?
//
// An axis of L positions is cut into p slabs, slab r holding [⌊rL/p⌋, ⌊(r+1)L/p⌋). Forward, a slab
// of outputs reads the inputs that its windows cover (slide.h); backward, a slab of input gradients
// the outputs whose windows touch it. What lies outside the slab comes from the neighbours. The
// most over all slabs counts, as the largest rank's items are what a plan holds: a slab at either
// end has one neighbour only, so two slabs send one way each. A transposed convolution reads
// forward what a convolution reads backward.
//
// Worked: 3×3, stride 1, pad 1 on 56 rows over 4 ranks: one row from each side, in both directions,
// two rows in all, 16 held; over 2 ranks one row in all; 3×3, stride 2, pad 1 on 56 rows: forward
// one row from before, none from after.
//                                          tests/plan/layout/halo_test.cpp,
//                                          tests/properties/halo_test.cpp

#include <cstdint>

#include "oracle/graph/layer.h"

namespace oracle {

struct Halo {
  std::int64_t before = 0, after = 0;  ///< planes a slab needs from either side
  std::int64_t sent = 0;               ///< planes that one rank sends to both neighbours together
  std::int64_t returned = 0;  ///< planes that one rank has from both, and sends back (of gradients)
  std::int64_t held = 0;      ///< planes of one slab with what came; 0 where no window slides
  bool operator==(const Halo&) const = default;
};

/// First position of slab r of p along `extent` positions.
inline std::int64_t slab_begin(std::int64_t r, std::int64_t extent, std::int64_t p) {
  return r * extent / p;
}

/// Planes of the layer's input that forward needs over spatial axis `axis` (0 depth, 1 height, 2
/// width).
Halo forward_halo(const Layer& layer, std::size_t axis, std::int64_t degree);

/// Planes of the output gradient that backward_data needs.
Halo backward_halo(const Layer& layer, std::size_t axis, std::int64_t degree);

/// True where whoever owns the output computes the input gradient of its whole window, as only it
/// knows the place of a maximum or the size of a mean: the halo's part then travels back to its
/// owner, who adds it, and no output gradient travels before.
bool returns_gradient(const Layer& layer);

}  // namespace oracle
