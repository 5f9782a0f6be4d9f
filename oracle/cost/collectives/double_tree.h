#pragma once
// How long does an all-reduce over a double binary tree take?
//
// Two trees carry half of the buffer each, in small pieces that follow one another, and a member is
// an inner node of at most one: each sends and receives 2·bytes in all. Sums climb, results
// descend; inside a node a tree is a chain over its g members, and each level above adds the depth
// of a binary tree:
//
//   t = 2 ((g-1)·α_0 + Σ_{l>0} ⌈log2 u(l)⌉·α_l) + 2·bytes/B
//
// Sanders, Speck & Träff, Parallel Computing 35(12), 2009; with the chains of NCCL 2.4. u(l): units
// that level l joins; B: the group's least share over all levels.
//
// Worked: 8 nodes of 4, α = 1 us inside and 10 us across, 8 MB, B = 1 GB/s → 66 us + 16 ms
//                                               tests/cost/collectives/double_tree_test.cpp

#include "oracle/cluster/placement.h"

namespace oracle {

Seconds double_tree_all_reduce(Bytes bytes, const Group& group);

}  // namespace oracle
