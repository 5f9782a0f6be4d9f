#pragma once
// How long do the ring collectives take?
//
// Every member passes a part of bytes/n to its neighbour in each step; the slowest hop paces all (α
// the longest and B the group's least share over the levels that join members):
//
//   reduce_scatter, all_gather   t =  (n-1)·α +  (n-1)/n · bytes/B
//   all_reduce                   t = 2(n-1)·α + 2(n-1)/n · bytes/B
//
// Patarasuk & Yuan, JPDC 69(2), 2009. A reduce-scatter followed by an all-gather: optimal in
// bandwidth, linear in latency, which overtakes the bandwidth term at n ≈ bytes/(α·B).
//
// Worked: n=4, 8 MB, α=1 us, B=1 GB/s → 12.006 ms      tests/cost/collectives/ring_test.cpp

#include "oracle/cluster/placement.h"

namespace oracle {

Seconds ring_all_reduce(Bytes bytes, const Group& group);
Seconds ring_reduce_scatter(Bytes bytes, const Group& group);
Seconds ring_all_gather(Bytes bytes, const Group& group);

}  // namespace oracle
