#pragma once
// How well does training scale over more and more ranks, as measured and as predicted?
//
//   efficiency = step on the fewest ranks / step on the most     (each rank's batch stays the same)
//
// Runs of a series differ in nothing but their ranks. Where several have as many, their median
// counts. A series whose runs all have as many says nothing of scaling.
//
// Worked: 100 ms on 1 rank and 125 ms on 8: 0.80; predicted 110 and 132 ms: 0.83, 3.3 points more
//                                                               tests/accuracy/scaling_test.cpp

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "oracle/base/units.h"

namespace oracle {

/// One run of a series.
struct ScaledRun {
  std::string series;
  std::int64_t ranks = 1;
  Seconds predicted, measured;
};

struct Scaling {
  std::string series;
  std::int64_t fewest = 1, most = 1;   ///< ranks
  double predicted = 0, measured = 0;  ///< efficiencies
  double error() const { return predicted - measured; }
};

/// In the order in which runs name their series.
std::vector<Scaling> scaling_of(std::span<const ScaledRun> runs);

}  // namespace oracle
