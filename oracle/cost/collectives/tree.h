#pragma once
// How long does an all-reduce over one binomial tree take?
//
// The sum climbs the tree, the result descends it. In each round the whole buffer crosses one edge;
// the tree follows the levels, so a level l with u(l) units to join takes ⌈log2 u(l)⌉ rounds each
// way:
//
//   t = 2 Σ_l ⌈log2 u(l)⌉ · (α_l + bytes/B_l)
//
// Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005. B_l: what one message gets that crosses the
// levels up to l. Best for short messages.
//
// Worked: n=8 on one level, 1 kB, α=1 us, B=1 GB/s → 12 us   tests/cost/collectives/tree_test.cpp

#include "oracle/cluster/placement.h"

namespace oracle {

Seconds tree_all_reduce(Bytes bytes, const Group& group);

}  // namespace oracle
