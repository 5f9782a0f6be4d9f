#pragma once
// How long does an all-to-all by pairwise exchange take?
//
// In each of n-1 steps every member swaps bytes/n with another partner: first with those of its
// node, then with those it meets one level up, and so on. m(l) members lie in a unit of level l, so
// m(l) - m(l-1) steps meet at level l, and in each of them all members below an uplink send across
// it at once:
//
//   t = Σ_l (m(l) - m(l-1)) · (α_l + bytes/n / C_l)      m(-1) = 1,  C_l = min_{k≤l} flow(k)/m(k-1)
//
// with C_l no more than one message can take. Over all steps a unit's uplink into level l carries
// m(l-1)·(n - m(l-1))/n · bytes: the share of its members' traffic that leaves it, which is what
// makes an all-to-all across nodes slow. On one level t = (n-1)·(α + bytes/(n·B)). Thakur,
// Rabenseifner & Gropp, IJHPCA 19(1), 2005, for the exchange.
//
// Worked: 2 nodes of 2, 8 MB, α = 1 us inside and 10 us across, 10 GB/s inside, 1 GB/s per node
// across → 0.201 + 2·4.010 = 8.221 ms               tests/cost/collectives/pairwise_test.cpp

#include "oracle/cluster/placement.h"

namespace oracle {

Seconds pairwise_all_to_all(Bytes bytes, const Group& group);

}  // namespace oracle
