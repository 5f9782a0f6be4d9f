#pragma once
// What do all layers that multiply their input with weights have in common?
//
// Each pass reads two of x, y and w and writes the third once (forward y, backward data dx,
// backward weights dw). A bias costs one addition per output, forward and, as a sum over dy, in
// backward weights. Backward needs x again, never y.
//
// Worked: 64 filters of 576 weights with a bias: 36,928 parameters
//                                                            tests/graph/kinds/convolution_test.cpp

#include "oracle/graph/attributes.h"
#include "oracle/graph/layer.h"

namespace oracle {

struct Filters {
  std::int64_t count = 0;
  std::int64_t weights_each = 0;
  std::int64_t features_in = 1;  ///< of one group
};

/// Fills weights, work and what is kept, from "bias" (true) and the filters. Throws InputError
/// (empty place) where the weights are too many.
void describe_weighted(Layer& layer, const Filters& filters, const Attributes& attributes);

}  // namespace oracle
