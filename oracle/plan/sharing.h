#pragma once
// Which gradients are one tensor?
//
// Backward of a sum hands its output's gradient to each input as it is. Of two inputs that need
// one, both have the same tensor for as long as neither is written: the input made last has no
// other reader, so that its gradient is complete, and its producer reads that gradient where it is
// and overwrites nothing. What adds to the other's comes when that producer's backward is over.
//
//   out = relu(bn(conv(x)) + x): the batch norm reads the gradient of the sum where it is, and the
//   convolution's is added to it afterwards; no copy is made.
//                                                                  tests/plan/sharing_test.cpp

#include <optional>
#include <vector>

#include "oracle/plan/plan.h"

namespace oracle {

/// Whether a layer is such a sum: of two, and backward leaves both the output's gradient as it is.
bool may_share_gradient(const Layer& layer);

struct SharedGradient {
  LayerId first = 0;   ///< whose backward runs first, and reads it
  LayerId second = 0;  ///< who has it alone from then on
};

/// What layer `id` of `stage` gives two inputs at once. `needs_gradient`: by layer (plan/emit.h).
std::optional<SharedGradient> shared_gradient(const Graph& graph, const Plan& plan,
                                              const Stage& stage,
                                              const std::vector<bool>& needs_gradient, LayerId id);

}  // namespace oracle
