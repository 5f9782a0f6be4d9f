#pragma once
// Placed groups made by hand, for tests of collectives.

#include "oracle/cluster/placement.h"

namespace oracle {

inline GroupLevel level_of(std::int64_t members, double latency, double bandwidth) {
  GroupLevel level;
  level.members = members;
  level.flow = level.alone = level.flow_limit = Bandwidth{bandwidth};
  level.latency = Seconds{latency};
  return level;
}

/// `n` members joined by one level.
inline Group one_level(std::int64_t n, double latency, double bandwidth) {
  Group group;
  group.size = n;
  group.levels = 1;
  group.level[0] = level_of(n, latency, bandwidth);
  return group;
}

/// `nodes` of `members` each; `across` is a node's uplink.
inline Group two_levels(std::int64_t nodes, std::int64_t members, double inside_latency,
                        double inside, double across_latency, double across) {
  Group group;
  group.size = nodes * members;
  group.levels = 2;
  group.level[0] = level_of(members, inside_latency, inside);
  group.level[1] = level_of(group.size, across_latency, across);
  return group;
}

inline constexpr double kMicro = 1e-6;
inline constexpr double kGiga = 1e9;

}  // namespace oracle
