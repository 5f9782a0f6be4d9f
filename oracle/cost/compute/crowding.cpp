#include "oracle/cost/compute/crowding.h"

#include <algorithm>
#include <cmath>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

/// Seen on hosts of which two share a core: kernels of stretches below its slice took 1.3 turns, of
/// ten times as long 1.9.
constexpr Turns kUsualTurns{0, Seconds{2e-3}};

/// Of a core: something is always left for computing.
constexpr double kMostDemand = 0.99;

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

/// Relative half-widths of what is told of a crowd, beside the kernel's own: `waiting` is the part
/// that a kernel would wait for memory if all of it were shared. What changes from time to time
/// does so for a kernel that loses nothing, too.
void widen(Cost& cost, const Contention& contention, bool loses, double waiting) {
  const double all = kDeviationPerMedian * contention.residual;
  const double own = std::sqrt(std::max(0.0, all * all - contention.drift * contention.drift));
  cost.common = kNormal90 * std::hypot(contention.drift, waiting * contention.sharing_deviation);
  cost.uncertainty = std::hypot(cost.uncertainty, loses ? kNormal90 * own : 0, cost.common);
}

}  // namespace

Crowd crowd_of(std::int64_t ranks, const Cluster& cluster, const Profile& profile) {
  const Device& device = cluster.device;
  if (device.device_class == DeviceClass::gpu) return {};
  const std::int64_t cores = std::max(device.multiprocessors, 1);
  Crowd crowd{std::min(ranks, cluster.ranks_per_device),
              cores,
              profile.contention,
              profile.turns,
              0,
              profile.lateness,
              profile.refill};
  const double most = most_turns(crowd);
  const double others = profile.overlap.demand() * (most - 1) / most;
  const double demand = std::min(others, kMostDemand);
  if (most > 1) crowd.exchange = std::min(most - 1, demand / (1 - demand));
  return crowd;
}

double most_turns(const Crowd& crowd) {
  return std::max(1.0, static_cast<double>(crowd.ranks) / static_cast<double>(crowd.cores));
}

Seconds late_after(const Crowd& crowd, Seconds stretch) {
  if (crowd.ranks > crowd.cores || stretch.value <= 0) return {};
  return crowd.lateness.after(stretch);
}

Seconds refilled(const Crowd& crowd, Bytes traffic) {
  return crowd.ranks > crowd.cores ? crowd.refill.of(traffic) : Seconds{};
}

double Apart::at_once(Seconds kernel) const {
  return std::max(chance, kernel > by ? 1 - by / kernel : 0);
}

Apart apart_in(const Crowd& crowd, Seconds since, Seconds stretch, double chance) {
  const bool measured = crowd.lateness != Lateness{};
  if (!measured || crowd.ranks > crowd.cores) return {};
  return {crowd.lateness.after(since + stretch * 0.5), chance};
}

Seconds waits_for_memory(Cost alone, Bytes traffic, const Crowd& crowd) {
  return is_beside_others(crowd) ? lost_beside(alone.time, traffic, crowd).memory : Seconds{};
}

Company closest_company(const Crowd& crowd) { return {most_turns(crowd), 0, 0, 1}; }

Shares shares_of(const Crowd& crowd, Seconds computing, Seconds waiting, Seconds moving) {
  if (waiting.value <= 0) return {};
  const Seconds busy = computing * most_turns(crowd);
  return {busy / (busy + waiting), moving / waiting};
}

Company company(const Crowd& crowd, const Shares& shares, Seconds stretch, std::int64_t group) {
  const Turns* measured = turns_of(crowd.turns, group);
  const double seen = (measured != nullptr ? *measured : kUsualTurns).seen(stretch);
  const double others = most_turns(crowd) - 1;
  return {1 + others * seen + (1 - seen) * shares.moving * crowd.exchange, 1 - seen,
          others * (1 - seen), shares.computing + (1 - shares.computing) * seen};
}

Cost crowded(Cost alone, Pass pass, Bytes traffic, const Crowd& crowd, const Company& company) {
  const Contention& contention = crowd.contention;
  if (is_beside_others(crowd)) {
    const Lost lost = lost_beside(alone.time, traffic, crowd);
    const double at_once = pass == Pass::update ? 1 : company.apart.at_once(alone.time);
    const Seconds waiting = company.meets * at_once * lost.memory;
    alone.time += company.meets * lost.arithmetic + contention.sharing * waiting;
    if (alone.time.value > 0) widen(alone, contention, lost.any(), waiting / alone.time);
  }
  alone.time = alone.time * company.turns;
  return alone;
}

}  // namespace oracle
