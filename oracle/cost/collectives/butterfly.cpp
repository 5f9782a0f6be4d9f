#include "oracle/cost/collectives/butterfly.h"

#include <algorithm>

#include "oracle/cost/collectives/levels.h"

namespace oracle {

Seconds butterfly_swaps(Bytes bytes, const Group& group) {
  Seconds time;
  std::size_t level = 0;
  for (std::int64_t distance = 1; distance < group.size; distance *= 2) {
    while (level + 1 < group.levels && group.level[level].members <= distance) ++level;
    const Bandwidth flow = std::min(crowded_flow(group, level), message_limit(group, level));
    time += group.level[level].latency + bytes / flow;
  }
  return time;
}

}  // namespace oracle
