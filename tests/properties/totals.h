#pragma once
// What should all ranks together do, and how much more may they where a cut is uneven?
//
//   operations = micro-batches · ranks of the stage · of one piece = serial · redundancy
//
// where every cut is even. Redundancy is what the plan declares: the degrees that leave a layer
// whole (Piece::redundancy), and for what is done per output the degrees over which the output is a
// partial sum. An extent L in d parts of ⌈L/d⌉ exceeds L by less than d: the bound for uneven cuts.
//                                                                tests/properties/totals_test.cpp

#include "oracle/plan/plan.h"

namespace oracle {

/// What all ranks together have of a serial total, and what they may have.
struct Totals {
  double serial = 0;  ///< times redundancy
  double over_ranks = 0;
  double most = 0;   ///< serial, with every extent rounded up as far as it can be
  bool even = true;  ///< every cut divides what it cuts: over_ranks must equal serial
};

/// Operations of one pass over the whole batch.
Totals operations(const Graph& graph, const Plan& plan, LayerId id, Pass pass);

/// Parameters held.
Totals parameters(const Graph& graph, const Plan& plan, LayerId id);

/// Mesh axes over which the layer's weight gradients are sums: ranks that look at different samples
/// or positions have different gradients of the same weights.
AxisSet axes_to_sum(const Plan& plan, LayerId id);

/// Over which axes each sum of these gradients goes, and of what part of them: of shards over ranks
/// that have copies, of a shard's.
std::vector<std::pair<AxisSet, double>> sums_of(const Plan& plan, LayerId id);

/// The first way in which the totals contradict each other, or "".
std::string broken(const Totals& totals);

}  // namespace oracle
