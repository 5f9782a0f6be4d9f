#pragma once
// Which positions of a text lie in a part, so that causal attention has as much to do in each?
//
// A position reads those before it: of p pieces of a text in a row the last one has 2p − 1 times
// the pairs of the first. Parts are therefore dealt from both ends. Part r of p has n = ⌊(r+1)L/p⌋
// − ⌊rL/p⌋ of L positions: ⌈n/2⌉ behind those that parts 0 … r−1 have from the front, ⌊n/2⌋ before
// those that they have from the back. Of 2p chunks these are chunks r and 2p−1−r (Dubey et al.,
// arXiv 2407.21783, section 3.3.2).
//
// In dealt order the parts lie in a row, so that whatever is said of parts in a row (parts.h), of
// finer ones too, holds of dealt ones.
//
// Worked: 8 positions in 2 parts are dealt in the order 0 1 6 7, 2 3 4 5; numbers [1, 6) of that
// order are [1, 4) and [6, 8)                                    tests/plan/layout/dealt_test.cpp

#include <cstdint>
#include <span>
#include <vector>

#include "oracle/plan/layout/slide.h"

namespace oracle {

/// The positions whose numbers in the order of `parts` parts are `numbers`; ascending and apart.
/// One part: all in a row.
std::vector<Positions> dealt_positions(std::span<const Positions> numbers, std::int64_t extent,
                                       std::int64_t parts);

}  // namespace oracle
