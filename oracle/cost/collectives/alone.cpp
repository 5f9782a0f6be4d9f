#include "oracle/cost/collectives/alone.h"

#include <array>

#include "oracle/cost/collectives/nccl.h"
#include "oracle/cost/uncertainty.h"

namespace oracle {

Cost collective_alone(Collective collective, Bytes bytes, std::int64_t ranks,
                      const Cluster& cluster) {
  const std::array<std::int64_t, 1> degrees = {ranks};
  const Group group = place(cluster, degrees, 1);
  return {NcclPrices(group).choose(collective, bytes).time, Source::datasheet,
          link_uncertainty(group)};
}

}  // namespace oracle
