#include "oracle/cost/compute/crowding.h"

#include <algorithm>
#include <cmath>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

/// How much of a kernel's time the others run the same.
double share_at_once(Pass pass) { return pass == Pass::update ? 1 : 2.0 / 3; }

}  // namespace

Crowd crowd_of(std::int64_t ranks, const Cluster& cluster, const Contention& contention) {
  const Device& device = cluster.device;
  Crowd crowd;
  if (device.device_class == DeviceClass::gpu) return crowd;
  const auto sharers = static_cast<double>(std::min(ranks, cluster.ranks_per_device));
  const double cores = std::max(device.multiprocessors, 1);
  crowd.turns = std::max(1.0, sharers / cores);
  crowd.at_once = std::min(sharers, cores);
  crowd.contention = contention;
  return crowd;
}

Cost crowded(Cost alone, Pass pass, Bytes traffic, const Crowd& crowd) {
  const Contention& contention = crowd.contention;
  if (contention.ranks > 1 && crowd.at_once > 1) {
    const double others = crowd.at_once - 1;
    const double shared = std::max(0.0, traffic.value - contention.own.value);
    const Seconds waiting{others / static_cast<double>(contention.ranks - 1) * contention.slope *
                          shared};
    if (waiting.value > 0) {
      alone.uncertainty =
          std::hypot(alone.uncertainty, kNormal90 * kDeviationPerMedian * contention.residual);
    }
    alone.time += share_at_once(pass) * std::min(waiting, alone.time * others);
  }
  alone.time = alone.time * crowd.turns;
  return alone;
}

}  // namespace oracle
