#include "oracle/cost/collectives/tree.h"

#include <algorithm>

#include "oracle/cost/collectives/levels.h"

namespace oracle {

Seconds tree_all_reduce(Bytes bytes, const Group& group) {
  Seconds time;
  Bandwidth flow = std::min(group.level[0].flow, group.level[0].flow_limit);
  for (std::size_t l = 0; l < group.levels; ++l) {
    flow = std::min({flow, group.level[l].flow, group.level[l].flow_limit});
    const int rounds = 2 * ceil_log2(units_joined(group, l));
    time += (group.level[l].latency + bytes / flow) * static_cast<double>(rounds);
  }
  return time;
}

}  // namespace oracle
