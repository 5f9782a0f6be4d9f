#pragma once
// Which strategy is the best for N ranks, which others fit, and why do the rest not?
//
// Of each family (evaluate/family.h) the ranking holds the best variant. What cannot be the best of
// its family, or among the best `keep` of all, need not be priced: no exchange lets a step be
// shorter than its forward, backward and update, which are known before the first variant.
//
// Where only the best are to be kept, most need not be planned: an axis that is refused alone is
// refused with any others, and strategies are planned in the order of the least that they can take
// (least_time.h) until no other can be among the best. Of these only those are planned whose layers
// alone are fast enough in their own order of axes (Family::least_steps). Pruning leaves the
// candidates as they are, to the last bit.                      tests/properties/pruning_test.cpp

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "oracle/cluster/cluster.h"
#include "oracle/evaluate/evaluation.h"
#include "oracle/search/space.h"

namespace oracle {

// What does a step cost in money?
//
//   dollars per step = price per device-hour · ranks / ranks per device · step / 3600 s
//
// Devices are paid for while they wait, so for one number of ranks the cheapest step is the
// shortest one. Worked: 32 devices at 3.06 USD/h, a step of 0.4 s of 512 samples: 0.01088 USD a
// step, 21.25 USD a million samples                           tests/evaluate/spending_test.cpp

/// In dollars; 0 where the device's price is unknown.
struct Spending {
  double per_step = 0;
  double per_million_samples = 0;
};

Spending spending_of(const Cluster& cluster, std::int64_t ranks, Seconds step, std::int64_t batch);

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
  Bottleneck bottleneck = Bottleneck::compute;
  Seconds exposed;  ///< communication
  Spending spending{};
  std::vector<Strategy> also{};  ///< of equal figures (alike.h)
};

struct Ranking {
  std::int64_t considered = 0;        ///< strategies, each variant one
  std::int64_t fitting = 0;           ///< of them
  std::int64_t priced = 0;            ///< of these: the rest could not be the best
  std::int64_t unplanned = 0;         ///< could not be among the best, whether they fit or not
  std::vector<Candidate> candidates;  ///< one of each family, best first; ties as in the space
  std::vector<Refused> refused;       ///< most frequent first
};

struct SearchRequest {
  std::int64_t ranks = 1;
  Training training;
  Objective objective = Objective::time;
  Strategy base;  ///< options to copy
  SpaceOptions space;
  std::size_t keep = 0;  ///< so many candidates are enough; 0: one of each family that fits
  double within = 0;     ///< beside them all whose step is by so much longer than the shortest
  bool prune = true;     ///< leave out what cannot be kept
  unsigned threads = 0;  ///< 0: all cores
  /// Called now and then with (done, total) from one thread; may be empty. Returning false stops.
  std::function<bool(std::int64_t, std::int64_t)> progress;
};

/// Considers every strategy of the space. The result does not depend on the number of threads.
Ranking search(const Graph& graph, const Cluster& cluster, const Profile& profile,
               const SearchRequest& request);

}  // namespace oracle
