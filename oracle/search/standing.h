#pragma once
// Which of two strategies is the better one, and can a third still be among the best?

#include <cstddef>
#include <optional>
#include <vector>

#include "oracle/search/search.h"

namespace oracle {

/// What strategies are compared by.
struct Standing {
  Seconds time;
  double samples_per_second = 0;
  Bytes memory;
};

inline Standing standing_of(const Candidate& candidate) {
  return {candidate.step.time, candidate.samples_per_second, candidate.memory};
}

/// Strictly better: by the objective, then time or memory where that is a tie-break.
bool better(const Standing& a, const Standing& b, Objective objective);

/// The standing that a candidate needs to be among the best `keep` known so far, or `within` a part
/// of the shortest step.
class Bar {
 public:
  Bar(std::size_t keep, Objective objective, double within = 0)
      : keep_(keep), objective_(objective), within_(within) {}

  /// Absent while fewer are known.
  std::optional<Standing> get() const;
  void raise(const Standing& known);

 private:
  std::size_t keep_;
  Objective objective_;
  double within_;
  std::vector<Standing> best_;  ///< best first, `keep` at most
};

}  // namespace oracle
