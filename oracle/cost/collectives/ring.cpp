#include "oracle/cost/collectives/ring.h"

#include <algorithm>

#include "oracle/cost/collectives/levels.h"

namespace oracle {
namespace {

/// Of the hops of a ring over the group: levels that join no members have none.
Seconds slowest_hop(const Group& group) {
  Seconds slowest;
  for (std::size_t l = 0; l < group.levels; ++l) {
    if (units_joined(group, l) > 1) slowest = std::max(slowest, group.level[l].latency);
  }
  return slowest;
}

}  // namespace

Seconds ring_reduce_scatter(Bytes bytes, const Group& group) {
  const auto n = static_cast<double>(group.size);
  return (n - 1) * (slowest_hop(group) + bytes / n / group.slowest_flow());
}

Seconds ring_all_gather(Bytes bytes, const Group& group) {
  return ring_reduce_scatter(bytes, group);
}

Seconds ring_all_reduce(Bytes bytes, const Group& group) {
  return 2.0 * ring_reduce_scatter(bytes, group);
}

}  // namespace oracle
