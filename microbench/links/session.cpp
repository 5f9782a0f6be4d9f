#include "microbench/links/session.h"

#include <algorithm>
#include <utility>

namespace oracle {
namespace {

constexpr int kRounds = 3;
/// Of the time for everything, the sweeps get nine tenths.
constexpr double kSweepShare = 0.9;
/// As gradients are exchanged; what is over within a slice of the scheduler's tells little of them.
constexpr std::int64_t kInterferenceBytes = 25 << 20;
/// Seconds of a transfer alone; in each round it runs many times, beside a computation and without.
constexpr double kLongestInterference = 0.25;

/// Parts of the time that a case gets: a step's gradients are the longest of what ranks exchange.
double weight_of(const LinkCase& link_case) {
  return link_case.action == LinkAction::all_reduce ? 3 : 1;
}

bool is_of_everyone(const LinkCase& link_case, const LinkSession& session) {
  const std::size_t ranks = link_case.groups.size() * link_case.groups.front().size();
  return ranks == static_cast<std::size_t>(session.communicator.size());
}

/// As large as takes no longer than it should.
std::int64_t interference_bytes(const LinkTimes& longest) {
  const double rate = static_cast<double>(longest.bytes) / longest.series.median();
  return static_cast<std::int64_t>(
      std::min<double>(kInterferenceBytes, std::max(4.0, rate * kLongestInterference)));
}

/// Of the all_reduce of each tier that keeps every rank busy.
void add_interference(const LinkSession& session, MeasuredLinks& measured) {
  for (const auto& [link_case, times] : measured.cases) {
    if (link_case.action != LinkAction::all_reduce || times.empty()) continue;
    if (!is_of_everyone(link_case, session)) continue;
    measured.interference.push_back(
        measure_interference(session, link_case, interference_bytes(times.back())));
  }
}

}  // namespace

void add_round(std::vector<LinkTimes> round, std::vector<LinkTimes>& all) {
  for (LinkTimes& times : round) {
    const auto at = std::lower_bound(
        all.begin(), all.end(), times.bytes,
        [](const LinkTimes& own, std::int64_t bytes) { return own.bytes < bytes; });
    if (at != all.end() && at->bytes == times.bytes) {
      at->series.add(times.series);
    } else {
      all.insert(at, std::move(times));
    }
  }
}

MeasuredLinks measure_links(const LinkSession& session, std::span<const LinkCase> cases,
                            const LinkLimits& limits) {
  MeasuredLinks measured;
  double weights = 0;
  for (const LinkCase& link_case : cases) {
    measured.cases.push_back({link_case, {}});
    weights += weight_of(link_case);
  }
  const double part = kSweepShare * limits.seconds / weights / kRounds;
  for (int round = 0; round < kRounds; ++round) {
    for (auto& [link_case, times] : measured.cases) {
      const SweepLimits own{limits.largest, limits.factor, part * weight_of(link_case)};
      add_round(measure_case(session, link_case, own), times);
    }
    if (limits.computes) add_interference(session, measured);
  }
  return measured;
}

}  // namespace oracle
