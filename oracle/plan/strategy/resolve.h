#pragma once
// What does a strategy's text leave to the network and the batch?
//
// Axes of degree 1 are dropped (they cut nothing), and `spatial:p` becomes the grid over the
// network's spatial axes with the least halo: the halo of axis a is the piece's volume · d_a /
// extent_a, so the grid minimizes Σ_{d_a>1} d_a / extent_a; of equal sums the one with the smallest
// largest degree.
//
// An axis of data that shards end in (Strategy::shard) becomes two: copies outside, shards inside.
//
// Worked: data:32 with shard=8 → data:4,data:8; spatial:4 on 224×224 → height:2,width:2; spatial:8
// on 128³ → 2×2×2.
//                                                                        tests/plan/strategy/resolve_test.cpp

#include <optional>

#include "oracle/graph/graph.h"
#include "oracle/plan/strategy/strategy.h"

namespace oracle {

/// Throws InputError where an axis has no degree or the grid makes more than kMaxMeshAxes axes.
Strategy resolve(const Strategy& strategy, const Graph& graph);

/// The axes of a resolved strategy along which ranks have further copies of what is in shards: the
/// outer ones of data.
AxisSet replica_axes(const Strategy& strategy);

/// The axis of data, if any, whose degree and Strategy::shard do not divide each other.
std::optional<std::size_t> indivisible_axis(const Strategy& strategy);

/// Micro-batches where the strategy leaves them open: the largest divisor of the samples per
/// replica that is at most four per rank (bubble ≤ 1/5), of several chunks a multiple of the ranks;
/// one without a pipeline.
std::int64_t choose_micro_batches(std::int64_t ranks, std::int64_t chunks,
                                  std::int64_t samples_per_replica);

}  // namespace oracle
