#include "oracle/cost/collectives/double_tree.h"

#include "oracle/cost/collectives/levels.h"

namespace oracle {

Seconds double_tree_all_reduce(Bytes bytes, const Group& group) {
  Seconds one_way = group.level[0].latency * static_cast<double>(group.level[0].members - 1);
  for (std::size_t l = 1; l < group.levels; ++l) {
    one_way += group.level[l].latency * static_cast<double>(ceil_log2(units_joined(group, l)));
  }
  return 2.0 * (one_way + bytes / group.slowest_flow());
}

}  // namespace oracle
