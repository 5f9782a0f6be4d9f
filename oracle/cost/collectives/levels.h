#pragma once
// What do the members of a group get when they use the levels of a cluster in different ways?
//
// `GroupLevel::flow` is the group's share of an uplink. Where all members below the same uplink
// send across it at once, each gets a part of that share:
//
//   crowded(l) = min over k ≤ l of  flow(k) / members below one uplink into k
//
// An algorithm whose messages are few and large gets no more than one message can take; one that
// keeps many in flight spreads over all rails.
//
// Worked: 4 members per node on 50 GB/s each, 12.5 GB/s into the leaf: 50 GB/s each inside the
// node, 3.125 GB/s each across                      tests/cost/collectives/levels_test.cpp

#include <bit>
#include <cstddef>
#include <cstdint>

#include "oracle/cluster/placement.h"

namespace oracle {

/// Members of the group below one uplink into `level`: 1 (the device) at level 0.
inline std::int64_t members_below(const Group& group, std::size_t level) {
  return level == 0 ? 1 : group.level[level - 1].members;
}

/// How many units with members one unit of `level` joins, at most.
inline std::int64_t units_joined(const Group& group, std::size_t level) {
  const std::int64_t below = members_below(group, level);
  return (group.level[level].members + below - 1) / below;
}

/// Gives every message on the level `factor` times the bandwidth.
inline void scale_bandwidth(GroupLevel& level, double factor) {
  level.flow = level.flow * factor;
  level.alone = level.alone * factor;
  level.flow_limit = level.flow_limit * factor;
}

/// The most one message can take that crosses the levels up to `level`.
Bandwidth message_limit(const Group& group, std::size_t level);

/// What each member gets while every member sends across all levels up to `level`.
Bandwidth crowded_flow(const Group& group, std::size_t level);

/// ⌈log2 n⌉ for n ≥ 1.
inline int ceil_log2(std::int64_t n) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
}

}  // namespace oracle
