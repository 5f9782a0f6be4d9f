#include "oracle/cost/compute/crowding.h"

#include <algorithm>
#include <cmath>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

/// Of a pass but the update: how much of what ranks compute at once is the same, s.
constexpr double kAtOnce = 2.0 / 3;

/// Of what ranks on one core take turns for.
constexpr double kTurnsAreOff = 0.3;

/// What a kernel loses beside the others of a crowd while they run the same, and share all memory.
struct Lost {
  Seconds arithmetic, memory;
  bool any() const { return (arithmetic + memory).value > 0; }
};

/// Whether kernels run beside others of the device, and it was measured what those do to them.
bool is_beside_others(const Crowd& crowd) {
  return crowd.contention.ranks > 1 && std::min(crowd.ranks, crowd.cores) > 1;
}

Lost lost_beside(Seconds alone, Bytes traffic, const Crowd& crowd) {
  const Contention& contention = crowd.contention;
  const auto others = static_cast<double>(std::min(crowd.ranks, crowd.cores) - 1);
  const Seconds most = alone * others;
  const double part = others / static_cast<double>(contention.ranks - 1);
  const double shared = std::max(0.0, traffic.value - contention.own.value);
  const Seconds arithmetic = std::min(most, alone * (part * contention.slowdown));
  return {arithmetic, std::min(most - arithmetic, Seconds{part * contention.slope * shared})};
}

/// On a core that ranks share; what a kernel's fit says of it errs with all that is assumed.
Cost in_turns(const Cost& cost, const Crowd& crowd) {
  return {cost.time * crowd.ranks_per_core(), Source::assumed,
          std::hypot(cost.uncertainty, crowd.shared_core_uncertainty())};
}

}  // namespace

double Crowd::ranks_per_core() const {
  return std::max(1.0, static_cast<double>(ranks) / static_cast<double>(cores));
}

double Crowd::shared_core_uncertainty() const { return kTurnsAreOff * (1 - 1 / ranks_per_core()); }

Crowd crowd_of(std::int64_t ranks, const Cluster& cluster, const Profile& profile) {
  const Device& device = cluster.device;
  if (device.device_class == DeviceClass::gpu) return {};
  const std::int64_t cores = std::max(device.multiprocessors, 1);
  return {std::min(ranks, cluster.ranks_per_device), cores, profile.contention};
}

Cost crowded(Cost alone, Pass pass, Bytes traffic, const Crowd& crowd) {
  if (is_beside_others(crowd)) {
    const Lost lost = lost_beside(alone.time, traffic, crowd);
    const double at_once = pass == Pass::update ? 1 : kAtOnce;
    alone.time += lost.arithmetic + crowd.contention.sharing * at_once * lost.memory;
    const double off = kNormal90 * kDeviationPerMedian * crowd.contention.residual;
    if (lost.any()) alone.uncertainty = std::hypot(alone.uncertainty, off);
  }
  return crowd.ranks > crowd.cores ? in_turns(alone, crowd) : alone;
}

}  // namespace oracle
