#pragma once
// Which positions does a piece of a windowed layer read, and with which padding does its kernel
// run?
//
// Wide and narrow positions and what a window joins: oracle/plan/slide.h.
//   gathering  what narrow positions read, within the tensor; what lies outside of it is padding
//   spreading  what touches wide positions [i, j), from narrow a on; the local padding keeps the
//              window's equation true, pad + i − a·s
// Forward of a convolution gathers and its backward_data spreads; a transposed one the other way
// round.
//
// Worked: 3×3, stride 2, pad 1 on 8 rows over 2 ranks, outputs [2, 4): reads [3, 8), no padding;
// the gradient of inputs [4, 8) takes outputs [2, 4) with a local padding of 1.
//                                                        tests/validate/program/geometry_test.cpp

#include <cstdint>

#include "oracle/graph/layer.h"
#include "validate/program/region.h"

namespace oracle {

/// One spatial axis of a piece: its wide and narrow positions and the padding that joins them.
struct Fit {
  Interval wide, narrow;
  std::int64_t pad_before = 0, pad_after = 0;
};

/// `axis`: 0 depth, 1 height, 2 width. Wide positions that the piece holds beyond the last window
/// stay (`held`), so that nothing is copied for their sake.
Fit gathering_fit(const Layer& layer, std::size_t axis, Interval narrow, Interval held);
/// Wide positions before the first that is touched are left out. Throws InputError where nothing
/// touches the piece.
Fit spreading_fit(const Layer& layer, std::size_t axis, Interval wide);

}  // namespace oracle
