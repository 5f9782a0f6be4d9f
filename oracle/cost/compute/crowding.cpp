#include "oracle/cost/compute/crowding.h"

#include <algorithm>

namespace oracle {

double crowding(std::int64_t ranks, const Cluster& cluster) {
  const Device& device = cluster.device;
  if (device.device_class == DeviceClass::gpu) return 1;
  const auto sharers = static_cast<double>(std::min(ranks, cluster.ranks_per_device));
  return std::max(1.0, sharers / std::max(device.multiprocessors, 1));
}

Cost crowded(Cost alone, double crowding) {
  alone.time = alone.time * crowding;
  return alone;
}

}  // namespace oracle
