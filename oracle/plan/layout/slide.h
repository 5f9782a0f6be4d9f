#pragma once
// Which positions does a window join along one spatial axis?
//
// With i + pad = o·stride + k·dilation, i wide (a convolution's input, a transposed one's output)
// and o narrow:
//   narrow [a, b) reads wide [a·s − pad, (b−1)·s − pad + span + 1)
//   wide [i, j) is touched by narrow [⌈(i + pad − span)/s⌉, ⌊(j − 1 + pad)/s⌋ + 1)
// Both may reach beyond the tensor, where there is padding or nothing.
//
// Worked: 3×3, stride 2, pad 1: outputs [2, 4) read [3, 8); inputs [4, 8) are touched by outputs
// [2, 5). tests/plan/layout/slide_test.cpp

#include <cstdint>

#include "oracle/graph/layer.h"

namespace oracle {

/// Positions [begin, end).
struct Positions {
  std::int64_t begin = 0, end = 0;
  bool operator==(const Positions&) const = default;
};

/// A window that slides along `wide` positions and leaves `narrow` ones.
struct Slide {
  std::int64_t wide, narrow, stride, pad;
  std::int64_t span;  ///< from the window's first position to its last

  Positions read_by(Positions narrow_positions) const;
  Positions touched_by(Positions wide_positions) const;
};

/// `axis`: 0 depth, 1 height, 2 width.
Slide slide_of(const Layer& layer, std::size_t axis);

}  // namespace oracle
