#pragma once
// How does a window over a piece look to cuDNN?
//
// cuDNN pads both sides of an axis alike, and wants as many windows as fit. A piece of a cut layer
// may have padding on one side, begin behind its first position, or leave windows out. Along such
// an axis cuDNN gets a copy: exactly what the windows cover, with zeros where that is padding.
//
//   fits: 0 ≤ before < reach, ⌊(extent + 2·before − reach)/stride⌋ + 1 = steps,  reach = dilation·
//         (kernel − 1) + 1; else the copy has (steps − 1)·stride + reach positions from −before on
//
// Worked: 5 positions, kernel 3, padded before alone, 4 windows: a copy of 6 positions from −1 on
//                                             tests/microbench/kernels/gpu/geometry_test.cpp

#include <array>
#include <cstddef>
#include <cstdint>

#include "microbench/kernels/kernel.h"

namespace oracle::gpu {

struct Geometry {
  std::size_t rank = 2;  ///< axes that cuDNN sees: 2 (height, width) or 3
  bool whole = true;     ///< cuDNN reads the tensor itself
  Extents wide;          ///< what cuDNN slides over: the tensor's extents, or the copy's
  Box part;              ///< of the tensor, that lies in the copy
  Extents place;         ///< where in the copy
  std::array<int, 3> pad{}, stride{}, dilation{}, kernel{};  ///< depth, height, width
};

/// The window of `layer` over `over`, with as many positions as `steps` has. A transposed
/// convolution's slides over its output and steps through its input.
Geometry slide_over(const LocalLayer& layer, const Extents& over, const Extents& steps);

}  // namespace oracle::gpu
