#pragma once
// What do a transfer and a computation cost each other when they run at the same time?
//
// A rank multiplies small matrices for about as long as an all_reduce takes; then does both at
// once. Every rank does so at the same time, as in training. Medians, of the slowest rank; that the
// transfer is complete is noticed between two multiplications.
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
