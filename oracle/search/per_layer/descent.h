#pragma once
// Does changing a few contractions shorten the step further?
//
// What evaluate() says is no sum: buckets, streams and memory tie layers together. From the best
// assignment, runs of contractions with equal cuts, their ends and single contractions are changed,
// and each change that evaluate() finds shorter is kept, until none is or the budget is spent.
//                                                  tests/search/per_layer/descent_test.cpp

#include <span>

#include "oracle/search/per_layer/judge.h"

namespace oracle::per_layer {

/// The choice of the step that cuts as `choice` does; kRefused where the contraction cannot.
std::uint16_t choice_at(const Problem& problem, std::size_t step, std::uint16_t choice);

/// `paths`: assignments whose choices are worth trying elsewhere.
void descend(const Problem& problem, std::span<const Path> paths, Judge& judge);

}  // namespace oracle::per_layer
