#pragma once
// Which choices minimize a sum of parts, and how low can no choice get?
//
// Dynamic programming over the steps in order: a state is the row of records of the tensors still
// to be read, its value the least sum with which it can be reached, for several weightings at once.
// Exact where every state is kept: chains have one tensor at a time, residual blocks two. States
// whose bound exceeds a known step are left out for good; where more remain than `beam` for each
// weighting the worst are dropped, and the least that they could have led to stays on record: the
// bound then is the smaller of what was found and what was dropped.
//                                                  tests/search/per_layer/sweep_test.cpp

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "oracle/search/per_layer/expander.h"

namespace oracle::per_layer {

inline constexpr std::size_t kMostWeightings = 8;
/// Rounding of sums in another order must not make a bound exceed what it bounds.
inline constexpr double kSlack = 1 + 1e-9;
using Sums = std::array<double, kMostWeightings>;

struct SweepOptions {
  std::vector<Weighting> weightings;                       ///< at most kMostWeightings
  std::size_t beam = 64;                                   ///< states kept for each weighting
  std::size_t choices = 64;                                ///< choices tried at a contraction
  double worst = std::numeric_limits<double>::infinity();  ///< a step that was found [s]
  /// Keep all transitions, for an exact search, and give up (incomplete, without paths) where a
  /// step has more than `beam` states.
  bool links = false;
};

/// One choice at one state.
struct Link {
  std::uint32_t from = 0, to = 0;
  std::uint16_t choice = 0;
  Sums sums{};
};

struct Sweep {
  /// For each weighting the choices that minimize it; empty where none is left.
  std::vector<std::vector<std::uint16_t>> paths{};
  /// No choices lead to a shorter step, unless it is longer than `worst` [s].
  double bound = 0;
  bool complete = true;  ///< nothing was dropped that could be better than `worst`
  std::vector<std::vector<Link>> links{};  ///< of each step
  std::vector<std::size_t> states{};       ///< after each step
};

Sweep sweep(const Problem& problem, Expander& expander, const SweepOptions& options);

}  // namespace oracle::per_layer
