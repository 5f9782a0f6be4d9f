#pragma once
// What do our layouts send where ParaDL cuts a network in space?
//
// All layers up to the last that ParaDL splits, and what follows it position by position, are cut
// into slabs of their first spatial axis; the rest is left whole. So windows exchange halos, and
// one tensor of the size of the last split layer's output is gathered.

#include <optional>
#include <vector>

#include "tests/conformance/paradl_plan.h"

namespace oracle::paradl {

/// The index of the last operation that ParaDL splits in space.
std::size_t last_split(const Network& network);

/// The plan with that prefix in slabs.
Plan spatial_plan_of(const Network& network, const Case& printed);

/// The halos of one layer that ParaDL splits: those of our plan and the planes it counts for
/// itself.
struct SplitWindow {
  const Operation* operation = nullptr;
  std::optional<Transfer> forward, backward;
  std::int64_t forward_planes = 0;  ///< ours, that a rank sends to both neighbours
  /// ParaDL's, to both neighbours: (K−1)/2 each, whatever the stride and the padding.
  std::int64_t counted_planes() const { return 2 * ((operation->kernel() - 1) / 2); }
};

/// The layers split in space, in the order of the network.
std::vector<SplitWindow> split_windows(const Network& network, const Plan& plan,
                                       std::int64_t slabs);

}  // namespace oracle::paradl
