#pragma once
// What do a transfer and a computation cost each other when they run at the same time?
//
// An all_reduce; small matrices multiplied until it is over; and for as long again without it. What
// is computed in a second counts, of all ranks together: those that share a core have it by turns.
// Every rank does the same at the same time, as in training, and what disturbs the machine does so
// to all three. Medians; that the transfer is complete is noticed between two multiplications, as
// often as a step notices it.
//
// Worked: a transfer of 100 ms takes 120 ms beside 60 % of what is computed without it: computing
// that takes 72 ms alone takes 120 ms, and slowdowns are 2/3 and 1/5
//                                          tests/ranks/links.cpp, tests/calibrate/link_fit_test.cpp

#include <cstdint>
#include <string>
#include <vector>

#include "microbench/links/measure.h"

namespace oracle {

struct InterferenceTimes {
  std::string tier;
  std::int64_t bytes = 0;
  double compute_alone = 0, compute_beside = 0;  ///< of what is computed until the transfer is over
  double transfer_alone = 0, transfer_beside = 0;
};

/// `link_case` is an all_reduce whose groups hold every rank. Every rank calls it and gets the
/// same.
InterferenceTimes measure_interference(const LinkSession& session, const LinkCase& link_case,
                                       std::int64_t bytes);

}  // namespace oracle
