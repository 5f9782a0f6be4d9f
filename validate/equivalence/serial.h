#pragma once
// Which serial run must a distributed one equal?
//
// One rank, the whole network, the same seed. Batch norm normalizes groups of samples: a serial run
// takes one group after the other as its micro-batches. Synchronized, a group is a micro-batch of
// the plan; otherwise each rank's part of it. Where local statistics meet cut positions there is no
// such run.                                          tests/validate/equivalence/serial_test.cpp

#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/plan/plan.h"
#include "validate/executor/executor.h"

namespace oracle {

struct SerialRun {
  Plan plan;
  std::vector<SampleRange> ranges;  ///< of its micro-batches
};

/// Throws InputError where no serial run normalizes the same groups.
SerialRun serial_run(const Graph& graph, const Plan& plan, const Cluster& cluster);

}  // namespace oracle
