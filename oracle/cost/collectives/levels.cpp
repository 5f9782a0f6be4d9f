#include "oracle/cost/collectives/levels.h"

#include <algorithm>

namespace oracle {

Bandwidth message_limit(const Group& group, std::size_t level) {
  Bandwidth least = group.level[0].flow_limit;
  for (std::size_t l = 1; l <= level; ++l) least = std::min(least, group.level[l].flow_limit);
  return least;
}

Bandwidth crowded_flow(const Group& group, std::size_t level) {
  Bandwidth least = group.level[0].flow;
  for (std::size_t l = 1; l <= level; ++l) {
    least = std::min(least, group.level[l].flow / static_cast<double>(members_below(group, l)));
  }
  return least;
}

}  // namespace oracle
