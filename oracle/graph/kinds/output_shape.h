#pragma once
// How is an output written down that does not follow from a window?
//
// "features" and "extents" (one number, or one per spatial axis); where one is not written, it is
// the input's.
//
// Worked: 64x28x28 with "features": 10 → 10x28x28            tests/graph/kinds/reshape_test.cpp

#include "oracle/graph/attributes.h"
#include "oracle/graph/layer.h"

namespace oracle {

/// Throws InputError (empty place).
Shape read_output(const Layer& layer, const Attributes& attributes);

/// Whether the two have the same positions, axis by axis.
bool same_positions(const Shape& a, const Shape& b);

}  // namespace oracle
