#pragma once
// How long does a collective take, by each algorithm that can carry it out?
//
// One file per algorithm and one row in table.cpp. All formulas are Hockney's α-β on the levels of a
// placed group (cluster/placement.h): n members, S bytes (as plan/plan.h defines a transfer's bytes).
//
// Every time is at least  ⌈log2 n⌉·α_0  and  the algorithm-independent bandwidth bound of its collective
// over the group's fastest level (2(n−1)/n·S/B for all_reduce).            tests/cost/collectives/laws_test.cpp

#include <span>
#include <string_view>

#include "oracle/cluster/placement.h"
#include "oracle/plan/layout.h"

namespace oracle {

struct Algorithm {
  std::string_view name;  ///< "ring", "tree", "double_tree", "halving_doubling", "hierarchical", …
  Collective serves;
  std::string_view text;  ///< formula and source, one line, for `oracle list collectives`
  /// Requires group.size > 1 and bytes ≥ 0.
  Seconds (*time)(Bytes bytes, const Group& group);
  /// Whether the algorithm exists on the group (hierarchical needs two levels with members on both).
  bool (*applies)(const Group& group);
};

std::span<const Algorithm> all_algorithms();

/// The algorithm called `name` that serves `collective`, or nullptr.
const Algorithm* find_algorithm(Collective collective, std::string_view name);

/// The fastest algorithm that applies, as a library with a perfect tuner would choose; with a `name`
/// other than "auto", that one where it applies, else the fastest.
const Algorithm& choose_algorithm(Collective collective, Bytes bytes, const Group& group,
                                  std::string_view name = "auto");

}  // namespace oracle
