#include "oracle/cost/compute/crowding.h"

#include <algorithm>
#include <cmath>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

/// How much of a kernel's time the others run the same.
double share_at_once(Pass pass) { return pass == Pass::update ? 1 : 2.0 / 3; }

/// Seen on hosts that share two cores; the communicator's pauses are up to 0.2 ms (patience.h).
constexpr Seconds kLate{1e-3};

/// E[max(1, (1 + K)/c)], K binomial of n - 1 and `chance`.
double mean_turns(const Crowd& crowd, double chance) {
  const auto cores = static_cast<double>(crowd.cores);
  const std::int64_t others = crowd.ranks - 1;
  const double odds = std::log(chance) - std::log1p(-chance);
  double log_chance = static_cast<double>(others) * std::log1p(-chance);
  double turns = 0;
  for (std::int64_t k = 0; k <= others; ++k) {
    turns += std::exp(log_chance) * std::max(1.0, static_cast<double>(1 + k) / cores);
    log_chance += odds + std::log(static_cast<double>(others - k) / static_cast<double>(k + 1));
  }
  return turns;
}

}  // namespace

Crowd crowd_of(std::int64_t ranks, const Cluster& cluster, const Contention& contention) {
  const Device& device = cluster.device;
  if (device.device_class == DeviceClass::gpu) return {};
  const std::int64_t cores = std::max(device.multiprocessors, 1);
  return {std::min(ranks, cluster.ranks_per_device), cores, contention};
}

Company closest_company(const Crowd& crowd) {
  const double each = static_cast<double>(crowd.ranks) / static_cast<double>(crowd.cores);
  return {std::max(1.0, each), 1};
}

/// Turns make ranks busier, and busy ranks take more turns: from the most there can be down to what
/// agrees with itself.
Company company(const Crowd& crowd, const Course& course) {
  constexpr int kRounds = 50;
  constexpr double kSettled = 1e-12;
  Company found = closest_company(crowd);
  if (crowd.ranks < 2 || course.waiting.value <= 0) return found;
  const Seconds stretch = course.computing / static_cast<double>(course.stretches);
  const double together = stretch / (stretch + kLate);
  for (int round = 0; round < kRounds; ++round) {
    const Seconds busy = found.turns * course.computing;
    const double share = busy / (busy + course.waiting);
    found.meets = share + (1 - share) * together;
    if (crowd.ranks <= crowd.cores || found.meets <= 0) return {1, found.meets};
    if (1 - found.meets < kSettled) return closest_company(crowd);
    const double turns = mean_turns(crowd, found.meets);
    if (std::abs(found.turns - turns) < kSettled) break;
    found.turns = turns;
  }
  return found;
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
