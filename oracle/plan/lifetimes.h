#pragma once
// When is a tensor of a stage last needed, and which tensors lie in one place?
//
// Moments count the items of forward, the messages between the stages, the items of backward, and
// its end; before each item is one at which parts are taken (PlanTensor::part_of). A tensor lives
// from the moment of the item that writes it to its last reader's.
//
//   in the memory of        lies                                                     where
//   its first input         the output of a layer that works in place or is a view   that dies
//   there its output's gradient   the first input gradient of a layer that works in place  that
//   dies there the sum so far          a sum of gradients always the other's             the second
//   input gradient of a sum                       plan/sharing.h
//
// Views overwrite nothing, so what they look at may be read later.
//
// Worked: of fc → relu → loss the relu's output lies where fc's was, and the gradient of fc's where
// the gradient of the relu's was                                 tests/plan/lifetimes_test.cpp

#include <cstdint>
#include <vector>

#include "oracle/plan/plan.h"

namespace oracle {

/// Of an item of forward or backward.
inline std::uint32_t moment_of(const Stage& stage, std::uint32_t item) {
  return 2 * item + (item < stage.backward_begin ? 1 : 2);
}
inline std::uint32_t moment_of_messages(const Stage& stage) { return 2 * stage.backward_begin; }
inline std::uint32_t last_moment(const Stage& stage) { return 2 * stage.backward_end.items + 1; }

/// By tensor, the moment after which nobody reads it: that of its writer where nobody does.
std::vector<std::uint32_t> last_moments(const Stage& stage);

/// Fills PlanTensor::storage of every tensor. `needs_gradient`: by layer (plan/emit.h).
void share_storage(const Graph& graph, const Plan& plan, Stage& stage,
                   const std::vector<bool>& needs_gradient);

}  // namespace oracle
