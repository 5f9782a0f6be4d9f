#include "oracle/cost/compute/crowding.h"

#include <algorithm>
#include <cmath>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

/// How much of a kernel's time the others run the same.
double share_at_once(Pass pass) { return pass == Pass::update ? 1 : 2.0 / 3; }

/// Seen on hosts of which two share a core: kernels of stretches below it took 1.3 turns, of ten
/// times as long 1.9.
constexpr Seconds kLate{2e-3};

double most_turns(const Crowd& crowd) {
  return std::max(1.0, static_cast<double>(crowd.ranks) / static_cast<double>(crowd.cores));
}

}  // namespace

Crowd crowd_of(std::int64_t ranks, const Cluster& cluster, const Contention& contention) {
  const Device& device = cluster.device;
  if (device.device_class == DeviceClass::gpu) return {};
  const std::int64_t cores = std::max(device.multiprocessors, 1);
  return {std::min(ranks, cluster.ranks_per_device), cores, contention};
}

Company closest_company(const Crowd& crowd) { return {most_turns(crowd), 0, 1}; }

double share_computing(const Crowd& crowd, Seconds computing, Seconds waiting) {
  if (waiting.value <= 0) return 1;
  const Seconds busy = computing * most_turns(crowd);
  return busy / (busy + waiting);
}

Company company(const Crowd& crowd, double u, Seconds stretch) {
  const double most = most_turns(crowd), seen = stretch / (stretch + kLate);
  const double turns = 1 + (most - 1) * seen;
  return {turns, most - turns, u + (1 - u) * seen};
}

Cost crowded(Cost alone, Pass pass, Bytes traffic, const Crowd& crowd, const Company& company) {
  const Contention& contention = crowd.contention;
  const auto others = static_cast<double>(std::min(crowd.ranks, crowd.cores) - 1);
  if (contention.ranks > 1 && others > 0) {
    const double shared = std::max(0.0, traffic.value - contention.own.value);
    const Seconds waiting{others / static_cast<double>(contention.ranks - 1) * contention.slope *
                          shared};
    if (waiting.value > 0) {
      alone.uncertainty =
          std::hypot(alone.uncertainty, kNormal90 * kDeviationPerMedian * contention.residual);
    }
    alone.time += share_at_once(pass) * company.meets * std::min(waiting, alone.time * others);
  }
  alone.time = alone.time * company.turns;
  return alone;
}

}  // namespace oracle
