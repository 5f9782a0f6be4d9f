#pragma once
// How long does one collective of GPUs take that has the links for itself, as described?
//
// Of the first ranks of a cluster, by NCCL (nccl.h); the interval is that of the widest link it
// crosses.
//
// Worked: an all-reduce of 256 MiB over the 8 GPUs of a DGX A100: 2.09 ms ± 18 %
//                                                          tests/cost/collectives/alone_test.cpp

#include <cstdint>

#include "oracle/base/cost.h"
#include "oracle/cluster/cluster.h"
#include "oracle/plan/layout/layout.h"

namespace oracle {

/// Requires 2 ≤ ranks ≤ cluster.ranks().
Cost collective_alone(Collective collective, Bytes bytes, std::int64_t ranks,
                      const Cluster& cluster);

}  // namespace oracle
