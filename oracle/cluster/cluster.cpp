#include "oracle/cluster/cluster.h"

#include "oracle/base/error.h"

namespace oracle {

std::int64_t Cluster::ranks() const {
  return levels.empty() ? ranks_per_device : capacity(levels.size() - 1);
}

std::int64_t Cluster::capacity(std::size_t level) const {
  ensure(level < levels.size(), "a cluster has no such level");
  std::int64_t ranks = ranks_per_device;
  for (std::size_t l = 0; l <= level; ++l) ranks *= levels[l].units;
  return ranks;
}

}  // namespace oracle
