#pragma once
// How are gradients exchanged and weights updated in one rank's program?
//
// Buckets of gradients, the update and, of state in shards, the gathers of updated weights.
//                                                            tests/validate/program/bind_test.cpp

#include <span>
#include <vector>

#include "oracle/plan/recompute.h"
#include "validate/program/pieces.h"
#include "validate/program/program.h"

namespace oracle {

/// A stage of the plan, and the number of its first item among those of the rank.
struct NumberedStage {
  const Stage& stage;
  std::uint32_t first_item = 0;

  std::uint32_t number_of(std::uint32_t item) const { return first_item + item; }
};

/// What a pass of a layer needs of all ranks first: the statistics among what it reads.
std::vector<StatisticsSum> statistics_read(const Pieces& pieces, const NumberedStage& numbered,
                                           std::span<const TensorId> reads, LayerId id, int rank);

/// The layers of some gradients of weights.
std::vector<LayerId> layers_of(const Stage& stage, std::span<const TensorId> gradients);

/// What `transfer`, which is `item` of the rank, makes whole of a unit's weights.
WeightGather gather_of(const Pieces& pieces, const Transfer& transfer, const LayerSpan& unit,
                       std::uint32_t item);

/// What sums gradients during backward: a scatter, or behind one, the last of `before`, the sum of
/// its shards over ranks that have copies of them.
decltype(Operation::what) sum_of(const Stage& stage, const Transfer& transfer,
                                 std::span<const TensorId> reads, std::vector<Operation>& before);

/// Adds what stands behind backward in a stage.
void bind_exchange(const Pieces& pieces, const NumberedStage& numbered, Program& program);

}  // namespace oracle
