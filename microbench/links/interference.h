#pragma once
// What do a transfer and a computation cost each other when they run at the same time?
//
// An all_reduce; small matrices multiplied for longer than it takes beside them; both at once; and
// again, so that what disturbs the machine does so to all three. Every rank does the same at the
// same time, as in training. Medians, of the slowest rank; that the transfer is complete is noticed
// between two multiplications, as often as a step notices it.
//                                                                          tests/ranks/links.cpp

#include <cstdint>
#include <string>
#include <vector>

#include "microbench/links/measure.h"

namespace oracle {

struct InterferenceTimes {
  std::string tier;
  std::int64_t bytes = 0;
  double compute_alone = 0, compute_beside = 0;
  double transfer_alone = 0, transfer_beside = 0;
};

/// `link_case` is an all_reduce whose groups hold every rank. Every rank calls it and gets the
/// same.
InterferenceTimes measure_interference(const LinkSession& session, const LinkCase& link_case,
                                       std::int64_t bytes);

}  // namespace oracle
