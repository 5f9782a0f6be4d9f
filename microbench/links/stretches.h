#pragma once
// How do ranks meet that compute between two messages?
//
// Each computes for so long, then all take part in a sum of a few bytes, again and again: the
// layers of a training step that wait for one another. Of a stretch of computing its own
// processor's time and the time on the wall, which is longer where others take their turns on the
// core; of the sum after it how long it is waited for, and how long it takes where nobody computes.
// All are means over the stretches and the ranks, as a step is their sum.
//                                                                          tests/ranks/links.cpp

#include <cstdint>
#include <string>
#include <vector>

#include "microbench/links/measure.h"

namespace oracle {

struct StretchTimes {
  std::string tier;
  std::int64_t ranks = 0;  ///< of a group
  std::int64_t bytes = 0;  ///< of the sum
  double computing = 0;    ///< seconds of the processor
  double took = 0;         ///< the same on the wall
  double waited = 0;       ///< for the sum after it
  double alone = 0;        ///< of such a sum among others
};

/// Stretches of several lengths. `link_case` is an all_reduce whose groups hold every rank. Every
/// rank calls it and gets the same.
std::vector<StretchTimes> measure_stretches(const LinkSession& session, const LinkCase& link_case);

}  // namespace oracle
