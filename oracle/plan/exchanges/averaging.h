#pragma once
// How often do ranks average weights that train by themselves?
//
//   local:H   each rank's loss is the mean over its own samples; behind every H-th update an
//             all-reduce of the weights, bucket by bucket, in the format of gradients that travel,
//             and their mean: Stich, "Local SGD Converges Fast", arXiv 1805.09767
//
// The optimizer's state stays each rank's own. With H = 1 it is synchronous training wherever an
// update is linear in the gradient (plain descent, momentum). A step of a plan is the mean of H:
// an average costs and sends a part of H in each.
//
// Worked: 1000 weights in fp32 over 4 ranks every 8 steps: 6000/8 = 750 bytes a step of each rank
//                                                tests/plan/exchanges/averaging_test.cpp

#include <cstdint>
#include <optional>
#include <string_view>

#include "oracle/plan/assignment.h"
#include "oracle/plan/infeasible.h"
#include "oracle/plan/strategy/strategy.h"

namespace oracle {

/// A number of steps above 0. Throws QuantityError.
double read_period(std::string_view text);

/// Whether weights are averaged in each step.
bool averages_always(double period);

/// Why the ranks cannot train by themselves; nothing where they can, or are not asked to: whoever
/// sums a gradient is to have whole samples of his own.
std::optional<Infeasible> refused_averaging(const Graph& graph, const Assignment& assignment,
                                            const Strategy& strategy);

}  // namespace oracle
