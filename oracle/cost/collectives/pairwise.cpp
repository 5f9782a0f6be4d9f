#include "oracle/cost/collectives/pairwise.h"

#include <algorithm>

#include "oracle/cost/collectives/levels.h"

namespace oracle {

Seconds pairwise_all_to_all(Bytes bytes, const Group& group) {
  const Bytes part = bytes / static_cast<double>(group.size);
  Seconds time;
  for (std::size_t l = 0; l < group.levels; ++l) {
    const std::int64_t partners = group.level[l].members - members_below(group, l);
    const Bandwidth flow = std::min(crowded_flow(group, l), message_limit(group, l));
    const Seconds step = group.level[l].latency + part / flow;
    time += step * static_cast<double>(partners);
  }
  return time;
}

}  // namespace oracle
