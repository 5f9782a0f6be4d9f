#pragma once
// Which candidates does no one beat in both time and memory?
//
// A candidate is beaten by one that is no slower and needs no more memory, and is better in one of
// the two; of equals the first stays. Sorted by time, then memory, a candidate is on the frontier
// where it needs less memory than all before it.
//
// Worked: (1 s, 9 GB), (2 s, 7 GB), (3 s, 8 GB), (4 s, 1 GB): the third is beaten by the second
//                                                                 tests/search/frontier_test.cpp

#include <span>
#include <vector>

#include "oracle/search/search.h"

namespace oracle {

/// Those no other beats, fastest first.
std::vector<Candidate> frontier(std::span<const Candidate> candidates);

}  // namespace oracle
