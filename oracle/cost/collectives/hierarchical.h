#pragma once
// How long do collectives take that treat a node as one?
//
// Reduce-scatter inside the node (level 0, g members), the collective among the N = n/g members of
// equal number in each node on parts of bytes/g, all-gather inside the node; rings throughout:
//
//   all_reduce                  t = 2(g-1)·(α_0 + bytes/(g·B_0)) + 2(N-1)·(α + bytes/(g·N·C))
//   reduce_scatter, all_gather  half of it
//
// B_0: the group's share inside the node. α: latency of the level that joins the group. C: what
// each member gets while all g of a node send across, so bytes/g at 1/g of the group's share: the
// node's uplink carries about what a flat ring lays on it, but waits N instead of n times. The 2-D
// scheme of Mikami et al., arXiv 1811.05233, with a node as one dimension.
//
// Worked: 4 nodes of 4, α = 1 us inside and 10 us across, 8 MB, 10 GB/s inside, 1 GB/s per node
// across → 1.206 + 12.060 = 13.266 ms           tests/cost/collectives/hierarchical_test.cpp

#include "oracle/cluster/placement.h"

namespace oracle {

/// Several members in a node, and several nodes.
bool has_nodes(const Group& group);

Seconds hierarchical_all_reduce(Bytes bytes, const Group& group);
Seconds hierarchical_reduce_scatter(Bytes bytes, const Group& group);
Seconds hierarchical_all_gather(Bytes bytes, const Group& group);

}  // namespace oracle
