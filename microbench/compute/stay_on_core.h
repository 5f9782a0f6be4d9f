#pragma once
// On which core does a thread run that stands for a rank?
//
// The system, left alone, often lets both sides of a meeting take turns on one core.
//                                             tests/microbench/compute/stay_on_core_test.cpp

namespace oracle {

/// Moves this thread to the rank's core of those that the process may use.
void stay_on_core_of(int rank);

}  // namespace oracle
