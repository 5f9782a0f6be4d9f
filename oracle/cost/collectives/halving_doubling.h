#pragma once
// How long do recursive halving and doubling take?
//
// Partners at distance 1, 2, 4, … exchange a half, a quarter, an eighth of the buffer
// (reduce-scatter); the mirror image gathers. On one level, with n a power of two:
//
//   reduce_scatter, all_gather   t =  log2(n)·α +  (n-1)/n · bytes/B
//   all_reduce                   t = 2log2(n)·α + 2(n-1)/n · bytes/B
//
// Rabenseifner, ICCS 2004; Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005. Otherwise, with p the
// next lower power of two, n - p members hand their buffer to a neighbour first and get the result
// from it last: all_reduce over p members and 2(α + bytes/B) more; the other two are not offered.
//
// On several levels, at distance d, up to 2d of the m members below an uplink (d at either end of
// their ranks) send across it at once and share its flow, unless units of m members hold whole
// pairs (2d divides m): then none does. The near exchanges carry most bytes, so the far links see
// bytes/m only. Each message is a single flow.
//
// Worked: n=4, 8 MB, α=1 us, B=1 GB/s → 12.004 ms
//                                          tests/cost/collectives/halving_doubling_test.cpp

#include "oracle/cluster/placement.h"

namespace oracle {

Seconds halving_doubling_all_reduce(Bytes bytes, const Group& group);
Seconds halving_reduce_scatter(Bytes bytes, const Group& group);
Seconds doubling_all_gather(Bytes bytes, const Group& group);

}  // namespace oracle
