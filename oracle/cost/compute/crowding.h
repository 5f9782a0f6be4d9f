#pragma once
// How many times as long does a measured kernel take where more ranks than cores compute?
//
// A kernel is measured by one rank with a core for itself. Ranks that share a processor of fewer
// cores take turns, all of them with work of the same kind at the same time:
//
//   crowding = max(1, ranks on the device / its cores)
//
// For ranks of a pipeline, which do not all compute all the time, it is the most that can be. A
// GPU's kernels are measured on the very share of it that a rank has. The roofline needs no factor,
// for it divides the device itself (roofline.h).
//
// Worked: 4 ranks on 2 cores: 2; 3 of them: 1.5; 2: 1          tests/cost/compute/crowding_test.cpp

#include <cstdint>

#include "oracle/base/cost.h"
#include "oracle/cluster/cluster.h"

namespace oracle {

/// `ranks`: of the plan; what they do not fill of the cluster computes nothing.
double crowding(std::int64_t ranks, const Cluster& cluster);

/// What a kernel that was measured as `alone` costs there.
Cost crowded(Cost alone, double crowding);

}  // namespace oracle
