#pragma once
// Is the best that was found the best there is?
//
// Branch and bound over the transitions of a complete sweep: the choices of the steps so far and,
// for each weighting, the least that the rest can add from there. A branch is left where some bound
// exceeds the best step found; what reaches the end is judged by evaluate(). When it closes within
// its budget the answer is what trying every assignment would give.
//                                        tests/properties/per_layer_exhaustive_test.cpp

#include <cstdint>

#include "oracle/search/per_layer/judge.h"
#include "oracle/search/per_layer/sweep.h"

namespace oracle::per_layer {

/// True where no assignment was left untried that could be better. `sweep` is complete and has
/// links; `branches` is the most links to follow.
bool prove(const Problem& problem, const Sweep& sweep, const std::vector<Weighting>& weightings,
           std::int64_t branches, Judge& judge);

}  // namespace oracle::per_layer
