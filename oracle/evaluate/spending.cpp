#include "oracle/evaluate/spending.h"

namespace oracle {

Spending spending_of(const Cluster& cluster, std::int64_t ranks, Seconds step, std::int64_t batch) {
  constexpr Seconds kHour{3600};
  const double devices = static_cast<double>(ranks) / static_cast<double>(cluster.ranks_per_device);
  Spending spending;
  spending.per_step = cluster.device.price_per_hour * devices * (step / kHour);
  spending.per_million_samples = spending.per_step * 1e6 / static_cast<double>(batch);
  return spending;
}

}  // namespace oracle
