#pragma once
// How long does it take all members to merge their buffers in pairs?
//
// In round r of log2(n) each member swaps its whole buffer with the one 2^r places away, and
// merges: the exchange of recursive doubling (Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005).
// The partner lies in the same unit of level l and not of l-1 where m(l-1) ≤ 2^r < m(l), and all
// members below an uplink send across it at once:
//
//   t = Σ_r (α_l + bytes/C_l)                 C_l = min_{k≤l} flow(k)/m(k-1), as pairwise.h has it
//
// Worked: 2 nodes of 2, 8 MB, α = 1 us inside and 10 us across, 10 GB/s inside, 1 GB/s per node
// across → 0.801 + 16.010 ms                       tests/cost/collectives/butterfly_test.cpp

#include "oracle/cluster/placement.h"

namespace oracle {

/// Requires a power of two.
Seconds butterfly_swaps(Bytes bytes, const Group& group);

}  // namespace oracle
