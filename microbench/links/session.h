#pragma once
// In which rounds is everything measured that ranks exchange?
//
// Every case is measured in each of three rounds, at all sizes, and its values are those of all
// rounds: what disturbs the machine for some seconds bends a third of a case's values, and no
// median, in the place of all values of one case. Interference is measured after each
// round. A size that a round had no time for is that of the others.
//
// Worked: rounds of {4 B, 16 B} and {4 B}: two series, of which that of 4 B has both rounds' values
//                                                    tests/microbench/links/session_test.cpp

#include <span>
#include <vector>

#include "microbench/links/interference.h"
#include "microbench/links/measure.h"
#include "microbench/links/sweep.h"

namespace oracle {

/// Of a whole session.
struct LinkLimits {
  std::int64_t largest = 1'000'000'000;
  int factor = 2;
  double seconds = 300;
  bool computes = true;  ///< whether ranks compute beside messages, too
};

struct MeasuredCase {
  LinkCase link_case;
  std::vector<LinkTimes> times;  ///< by size
};

struct MeasuredLinks {
  std::vector<MeasuredCase> cases;
  std::vector<InterferenceTimes> interference;  ///< of each round and tier
};

/// Every rank calls it and gets the same.
MeasuredLinks measure_links(const LinkSession& session, std::span<const LinkCase> cases,
                            const LinkLimits& limits);

/// Puts the values of a round to those of the rounds before.
void add_round(std::vector<LinkTimes> round, std::vector<LinkTimes>& all);

}  // namespace oracle
