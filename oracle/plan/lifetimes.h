#pragma once
// When is a tensor of a stage last needed, and which tensors lie in one place?
//
// Moments count the items of forward, the messages between the stages, the items of backward, the
// messages to the stage before, which leave ahead of a second turn of backward, the items of that,
// and its end; before each item is one at which parts are taken (PlanTensor::part_of). A tensor
// lives from the moment of the item that writes it to its last reader's.
//
//   in the memory of        lies                                                     where
//   its first input         the output of a layer that works in place or is a view   that dies
//   there its output's gradient   the first input gradient of a layer that works in place  that
//   dies there the sum so far          a sum of gradients always the other's             the second
//   input gradient of a sum                       plan/lifetimes.h
//
// Views overwrite nothing, so what they look at may be read later.
//
// Worked: of fc → relu → loss the relu's output lies where fc's was, and the gradient of fc's where
// the gradient of the relu's was                                 tests/plan/lifetimes_test.cpp

#include <cstdint>
#include <optional>
#include <vector>

#include "oracle/plan/plan.h"

namespace oracle {

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

/// Of an item of forward or backward.
inline std::uint32_t moment_of(const Stage& stage, std::uint32_t item) {
  return 2 * item + (item < stage.backward_begin ? 1 : item < stage.weights_begin ? 2 : 3);
}
inline std::uint32_t moment_of_messages(const Stage& stage) { return 2 * stage.backward_begin; }
inline std::uint32_t moment_of_return(const Stage& stage) { return 2 * stage.inputs_end() + 1; }
inline std::uint32_t last_moment(const Stage& stage) { return 2 * stage.backward_end.items + 2; }

/// Whether the gradients of a layer's weights are made in a turn of their own where backward has
/// two: not of kernels that make them along with its input's, or with its weights.
bool has_own_turn(const Layer& layer);

/// By tensor, the moment after which no one reads it: that of its writer where no one does.
std::vector<std::uint32_t> last_moments(const Stage& stage);

/// Fills PlanTensor::storage of every tensor. `needs_gradient`: by layer (plan/emit.h).
void share_storage(const Graph& graph, const Plan& plan, Stage& stage,
                   const std::vector<bool>& needs_gradient);

}  // namespace oracle
