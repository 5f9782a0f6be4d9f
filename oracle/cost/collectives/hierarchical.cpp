#include "oracle/cost/collectives/hierarchical.h"

#include "oracle/cost/collectives/levels.h"

namespace oracle {

bool has_nodes(const Group& group) {
  return group.levels > 1 && group.level[0].members > 1 && group.level[0].members < group.size;
}

Seconds hierarchical_reduce_scatter(Bytes bytes, const Group& group) {
  const GroupLevel& node = group.level[0];
  const auto members = static_cast<double>(node.members);
  const std::int64_t occupied = (group.size + node.members - 1) / node.members;
  const auto nodes = static_cast<double>(occupied);
  const Bytes part = bytes / members;
  const Seconds inside = (members - 1) * (node.latency + part / node.flow);
  const Seconds across =
      (nodes - 1) * (group.top().latency + part / nodes / crowded_flow(group, group.levels - 1));
  return inside + across;
}

Seconds hierarchical_all_gather(Bytes bytes, const Group& group) {
  return hierarchical_reduce_scatter(bytes, group);
}

Seconds hierarchical_all_reduce(Bytes bytes, const Group& group) {
  return 2.0 * hierarchical_reduce_scatter(bytes, group);
}

}  // namespace oracle
