#pragma once
// Which variant of a family is the best, with what saves memory, and how many do not fit?

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "oracle/search/savings.h"
#include "oracle/search/search.h"
#include "oracle/search/standing.h"

namespace oracle {

/// What considering a family comes to.
struct FamilyAnswer {
  std::vector<Candidate> found;  ///< the best, or that of every saving; those that can be kept
  std::int64_t considered = 0, fitting = 0, priced = 0;
  bool is_unplanned = false;  ///< whether it fits, as what would let it takes too long
  std::vector<Refused> refused;
};

/// Considers all variants of `strategy` with the savings it needs. `bar`: what is worse need not be
/// priced. Once the first variant of a family that fits is reached, no further one allocates.
FamilyAnswer search_family(Family& family, const Strategy& strategy, const SavingSpace& savings,
                           std::span<const Variant> variants, const SearchRequest& request,
                           const std::optional<Standing>& bar);

/// How far a strategy is from fitting: what it needs over what there is.
double shortfall(double needed, double available);
inline double shortfall(const Infeasible& refusal) {
  return shortfall(refusal.needed, refusal.available);
}

}  // namespace oracle
