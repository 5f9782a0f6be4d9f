#pragma once
// How much longer does a pass take while every other core runs the same?
//
// Ranks of one processor share its memory and its last cache, and in a training step they are at
// the same layer at about the same time. As many threads as ranks, each with a back end and
// operands of its own, prepare a call, wait for each other and run it; before and after that the
// first of them runs it alone, so that a drift of the clock falls on both.
//                                                   tests/microbench/compute/crowd_test.cpp

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "microbench/compute/case_bench.h"

namespace oracle {

struct CrowdPlan {
  int ranks = 2;
  double seconds = 30;     ///< of all cases; what is left then is not measured
  std::size_t cases = 40;  ///< of those given, spread evenly
  int calls = 6;           ///< of each pass in a row: alone, together, alone again
  Clock clock = Clock::processor;
  Rotation rotation;
};

struct CrowdSample {
  std::string layer;  ///< the case, as text
  std::string type;   ///< the back end's precision
  BenchPass pass;
  int ranks = 2;
  Series alone, beside;
};

/// Cases in an order drawn, always the same, so that the first of them are of all kinds. `make`
/// makes a back end, one for each thread. Cases that cannot run are left out.
std::vector<CrowdSample> measure_crowd(const std::function<std::unique_ptr<Backend>()>& make,
                                       std::span<const LayerCase> cases, const CrowdPlan& plan);

}  // namespace oracle
