#pragma once
// Which of the assignments looked at has the shortest step that fits?
//
// Each is judged by evaluate(), once, as long as the budget lasts.
//                                                  tests/search/per_layer/descent_test.cpp

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "oracle/evaluate/evaluation.h"
#include "oracle/search/per_layer/problem.h"

namespace oracle::per_layer {

/// A choice for each step.
using Path = std::vector<std::uint16_t>;

/// What was found, by evaluate().
struct Found {
  Strategy strategy;
  Seconds step;
  Bytes memory;
  Path path;  ///< empty for a strategy that is no assignment of this mesh
};

class Judge {
 public:
  Judge(const Problem& problem, std::int64_t budget) : problem_(problem), budget_(budget) {}

  /// True where the assignment is the best so far.
  bool look_at(const Path& path);
  bool look_at(const Strategy& strategy);

  const std::optional<Found>& best() const { return best_; }
  /// The assignment that lacks least of fitting.
  const std::optional<Infeasible>& nearest() const { return nearest_; }
  /// The best step so far [s]; infinite where none fits.
  double worst() const;
  bool spent() const { return evaluations_ >= budget_; }
  void grant(std::int64_t more) { budget_ = evaluations_ + more; }
  std::int64_t evaluations() const { return evaluations_; }
  Strategy strategy(const Path& path, bool brief) const;

 private:
  bool judge(const Strategy& strategy, const Path& path);

  const Problem& problem_;
  std::int64_t budget_;
  std::int64_t evaluations_ = 0;
  std::set<Path> seen_;
  std::optional<Found> best_;
  std::optional<Infeasible> nearest_;
};

}  // namespace oracle::per_layer
