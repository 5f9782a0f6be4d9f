#pragma once
// How long did the thread that computes have a processor, which it may have to leave to others?
//                                               tests/microbench/kernels/cpu/thread_stopwatch_test.cpp

#include <memory>

#include "microbench/kernels/stopwatch.h"

namespace oracle {

/// Of what computes as it is called, on the thread that calls.
std::unique_ptr<Stopwatch> thread_stopwatch();

}  // namespace oracle
