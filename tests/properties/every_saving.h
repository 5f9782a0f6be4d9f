#pragma once
// All that a strategy of a search may save, whether it needs it or not.

#include <vector>

#include "oracle/search/savings.h"

namespace oracle {

/// Savings that cost less come first.
template <typename Visit>
void for_each_saving(const SavingSpace& space, Visit visit) {
  for (std::size_t m = 0; m < space.micro_batches.size(); ++m) {
    for (std::size_t r = 0; r < space.recompute.size(); ++r) {
      for (std::size_t z = 0; z < space.zero.size(); ++z) visit(Saving{m, r, z});
    }
  }
}

/// The strategy with each of them.
inline std::vector<Strategy> with_every_saving(const Strategy& strategy, std::int64_t batch,
                                               const SpaceOptions& options) {
  const SavingSpace space = savings_of(strategy, batch, options);
  std::vector<Strategy> all;
  for_each_saving(space,
                  [&](const Saving& saving) { space.put(saving, all.emplace_back(strategy)); });
  return all;
}

}  // namespace oracle
