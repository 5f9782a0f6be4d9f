#pragma once
// Which strategy is the best for N ranks, which others fit, and why do the rest not?

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "oracle/evaluate/evaluation.h"
#include "oracle/evaluate/spending.h"
#include "oracle/search/space.h"

namespace oracle {

/// The cheapest of N ranks is the fastest; it needs a device whose price is known.
enum class Objective : std::uint8_t { time, throughput, memory, cost };
std::string_view name_of(Objective objective);

/// Strategies refused for one reason: how many, and the one that came nearest (least
/// needed/available).
struct Refused {
  Constraint constraint = Constraint::memory;
  std::int64_t count = 0;
  Strategy nearest;
  Infeasible reason;
};

struct Candidate {
  Strategy strategy;
  Cost step;
  double samples_per_second = 0;
  Bytes memory;
  Bottleneck bottleneck = Bottleneck::arithmetic;
  Seconds exposed;  ///< communication
  Spending spending{};
};

struct Ranking {
  std::int64_t considered = 0;
  std::vector<Candidate> candidates;  ///< best first; ties in the order of the space
  std::vector<Refused> refused;       ///< most frequent first
};

struct SearchRequest {
  std::int64_t ranks = 1;
  Training training;
  Objective objective = Objective::time;
  Strategy base;  ///< options to copy
  SpaceOptions space;
  unsigned threads = 0;  ///< 0: all cores
  /// Called now and then with (done, total) from one thread; may be empty. Returning false stops.
  std::function<bool(std::int64_t, std::int64_t)> progress;
};

/// Evaluates every strategy of the space. The result does not depend on the number of threads.
Ranking search(const Graph& graph, const Cluster& cluster, const Profile& profile,
               const SearchRequest& request);

}  // namespace oracle
