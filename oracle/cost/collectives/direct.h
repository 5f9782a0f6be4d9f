#pragma once
// How long does it take all members to send a part to each server, or to fetch one?
//
// S of the n members are servers. A server takes bytes/S from each other member, one after the
// other, first from those of its node, as in a pairwise exchange (pairwise.h), which this is where
// each member is a server. s(l) servers lie below one uplink into level l and share it:
//
//   t = Σ_l (m(l) - m(l-1)) · (α_l + bytes/S / C_l)      C_l = min_{k≤l} flow(k)/s(k)
//
// m as there. On one level t = (n-1)·(α + bytes/(S·B)): a server's link is the limit, and S = n is
// the fastest. With servers of their own 2α + 2·bytes·max(1, n/S)/B, which falls until S = n, too.
// A pull is the same the other way round.
//
// Worked: 4 members, 8 MB, α = 1 us, B = 1 GB/s: 24.003 ms with 1 server, 6.003 ms with 4
//                                                   tests/cost/collectives/direct_test.cpp

#include "oracle/cluster/placement.h"

namespace oracle {

/// Requires group.servers > 0.
Seconds direct_push(Bytes bytes, const Group& group);

/// One member alone, which serves where all do: no one else sends, and the others' parts share its
/// own link.
///
///   t = Σ_l (s'(l+1) - s'(l)) · (α_l + bytes/S / alone_l)     s' counts the servers below itself
///
/// Worked: 4 members, 8 MB, α = 1 us, B = 1 GB/s: 8.001 ms with 1 server, 6.003 ms with 4.
Seconds lone_push(Bytes bytes, const Group& group);

}  // namespace oracle
