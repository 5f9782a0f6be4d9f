#pragma once
// Which group of the communicator belongs to a set of mesh axes on this rank?
//
// Gradient buckets have groups of their own: they start whenever the one before has arrived, which
// is not at the same place among a rank's other operations as on the next rank.

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "microbench/comm/communicator.h"
#include "validate/program/pieces.h"

namespace oracle {

struct RankGroup {
  GroupId id = 0;
  std::int64_t size = 1;
  std::vector<int> ranks{};  ///< of the world, in the group's order

  /// Of a rank of the world that is in it.
  std::int64_t place_of(int rank) const {
    return std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
  }
};

/// The groups of this rank, by the mesh axes they span.
using RankGroups = std::map<AxisSet, RankGroup>;

/// Makes the groups of every collective of forward and backward, or of the gradient exchange, on
/// all ranks in the same order.
RankGroups make_groups(const Plan& plan, const Mesh& mesh, bool gradients,
                       Communicator& communicator);

}  // namespace oracle
