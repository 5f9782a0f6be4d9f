#pragma once
// What does a rank find in its core's own caches when it goes on after a message?
//
// It reads as much as a step's layers do between two messages, more than those caches hold, makes a
// copy within a part of them, takes part in a sum of a few bytes, and makes the copy again, twice:
// the second time out of the core's own caches, the first time out of what others that share the
// core have left there meanwhile. Medians of the processor's time of a rank, in the mean of all.
//                                                                          tests/ranks/links.cpp

#include <cstdint>
#include <string>

#include "microbench/links/measure.h"

namespace oracle {

struct RefillTimes {
  std::string tier;
  std::int64_t ranks = 0;      ///< that meet
  double near = 0, after = 0;  ///< of a copy after itself, and after a message [s]
  std::int64_t copied = 0;     ///< bytes that it reads and writes
  std::int64_t own = 0;        ///< what a core's own caches hold
};

/// `link_case` is an all_reduce whose groups hold every rank. Every rank calls it and gets the
/// same.
RefillTimes measure_refill(const LinkSession& session, const LinkCase& link_case);

}  // namespace oracle
