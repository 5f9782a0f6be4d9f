#pragma once
// Which candidates are one program, and which strategy is the simplest that is as good as the best?
//
// Two axes of one degree in one node may change places, and a cut may find nothing to cut: then
// step, memory and exposed communication are equal to the last bit, and the candidates are one row.
// A difference below kAlike is none: repeated measurements of one step differ by as much.
//
// Worked: 100 ms of 3 axes, 101 ms of 1 axis, 104 ms: the second is recommended, 1 other is alike
//                                                                     tests/search/alike_test.cpp

#include <cstddef>
#include <span>
#include <vector>

#include "oracle/search/search.h"

namespace oracle {

/// Relative difference of two objectives that no measurement tells apart.
inline constexpr double kAlike = 0.03;

/// Equal neighbours as the first of them, which names the others in `also`.
std::vector<Candidate> merge_equal(std::vector<Candidate> candidates);

struct Recommendation {
  std::size_t index = 0;   ///< of the simplest: fewest axes, then fewest options, then best first
  std::size_t others = 0;  ///< as good as the best, beside it
};

/// Of candidates best first, at least one.
Recommendation recommend(std::span<const Candidate> candidates, Objective objective);

}  // namespace oracle
