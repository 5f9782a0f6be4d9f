#pragma once
// How does a window over a piece look to oneDNN?
//
// oneDNN wants a window that covers its input: at most stride − 1 positions left over after the
// last window, and none before the first. A piece of a cut layer may have more, so `part` is what
// the windows read, and the rest is cut off (its gradient is zero).
//
// Worked: 9 positions, kernel 1, stride 2, 2 outputs: part [0, 3); with pad_before −1: [1, 4)
//                                                    tests/microbench/kernels/cpu/sliding_test.cpp

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>

#include "microbench/kernels/kernel.h"

namespace oracle {

struct Sliding {
  Box part;  ///< of the tensor that the window slides over; all samples and channels
  bool whole = true;
  dnnl::memory::dims kernel, stride, dilation, pad_before, pad_after;  ///< dilation as oneDNN's: 0
};

/// The window of `layer` over `over`, with as many positions as `steps` has. A transposed
/// convolution's slides over its output and steps through its input.
Sliding slide_over(const LocalLayer& layer, const Extents& over, const Extents& steps);

}  // namespace oracle
