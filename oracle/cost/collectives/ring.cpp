#include "oracle/cost/collectives/ring.h"

namespace oracle {

Seconds ring_reduce_scatter(Bytes bytes, const Group& group) {
  const auto n = static_cast<double>(group.size);
  return (n - 1) * (group.top().latency + bytes / n / group.slowest_flow());
}

Seconds ring_all_gather(Bytes bytes, const Group& group) {
  return ring_reduce_scatter(bytes, group);
}

Seconds ring_all_reduce(Bytes bytes, const Group& group) {
  return 2.0 * ring_reduce_scatter(bytes, group);
}

}  // namespace oracle
