#include "oracle/cost/collectives/direct.h"

#include <algorithm>

#include "oracle/cost/collectives/levels.h"

namespace oracle {
namespace {

/// Servers below one uplink into `level`, at most.
std::int64_t servers_below(const Group& group, std::size_t level) {
  return (group.servers * members_below(group, level) + group.size - 1) / group.size;
}

/// Servers in the unit of `level` that has fewest.
std::int64_t least_servers(const Group& group, std::size_t level) {
  return group.servers * group.level[level].members / group.size;
}

}  // namespace

Seconds lone_push(Bytes bytes, const Group& group) {
  const Bytes part = bytes / static_cast<double>(group.servers);
  std::int64_t reached = group.servers == group.size ? 1 : 0;
  Bandwidth alone = message_limit(group, 0);
  Seconds time;
  for (std::size_t l = 0; l < group.levels; ++l) {
    const std::int64_t servers = std::max(reached, least_servers(group, l));
    alone = std::min({alone, group.level[l].alone, message_limit(group, l)});
    time += (group.level[l].latency + part / alone) * static_cast<double>(servers - reached);
    reached = servers;
  }
  return time;
}

Seconds direct_push(Bytes bytes, const Group& group) {
  const Bytes part = bytes / static_cast<double>(group.servers);
  Bandwidth flow = message_limit(group, 0);
  Seconds time;
  for (std::size_t l = 0; l < group.levels; ++l) {
    const std::int64_t partners = group.level[l].members - members_below(group, l);
    const auto sharing = static_cast<double>(servers_below(group, l));
    flow = std::min({flow, group.level[l].flow / sharing, message_limit(group, l)});
    time += (group.level[l].latency + part / flow) * static_cast<double>(partners);
  }
  return time;
}

}  // namespace oracle
