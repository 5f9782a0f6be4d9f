#pragma once
// What saves memory where a strategy needs too much?
//
// Parts of the batch in turn and computing activations again cost time: a strategy comes with as
// little of both as lets it fit. What is kept in shards may cost or gain: scattered gradients and
// gathered weights take other ways through the step, and shards of the optimizer's state make the
// update shorter. So all of that is tried. A strategy that does not fit with all that can be saved
// does not fit.
//
// Worked: data:8 of 32 samples: whole or in 2 or 4 parts × nothing or blocks again × 0 to 3 in
// shards are 24 savings; where the first fits, 4 are tried      tests/search/savings_test.cpp

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/plan/strategy/strategy.h"
#include "oracle/search/space.h"

namespace oracle {

/// By index into the lists of a SavingSpace.
struct Saving {
  std::size_t micro_batches = 0, recompute = 0, zero = 0;

  bool saves_at_most(const Saving& other) const {
    return micro_batches <= other.micro_batches && recompute <= other.recompute &&
           zero <= other.zero;
  }
  bool operator==(const Saving&) const = default;
};

/// What a strategy takes at least, in any order of its axes (least_time.h).
struct Least {
  Seconds time;
  std::array<Bytes, 4> memory{};  ///< of the rank that needs most, by Strategy::zero
  Bytes kept{};                   ///< part of it that is less with parts of the batch in turn
};

/// Each list begins with what saves least, and has one entry at least.
struct SavingSpace {
  std::vector<std::int64_t> micro_batches;
  std::vector<std::string> recompute;
  std::vector<int> zero;
  std::vector<Least> least{};  ///< by index into recompute; empty: not known

  Saving most() const;
  /// `strategy` with a saving.
  void put(const Saving& saving, Strategy& strategy) const;
  Bytes least_memory(const Saving& saving) const;
  /// Whether `more` can only take longer than `less`.
  bool is_enough(const Saving& less, const Saving& more) const;
};

/// What a strategy of the space can save, `options` those of on_network().
SavingSpace savings_of(const Strategy& strategy, std::int64_t batch, const SpaceOptions& options);

}  // namespace oracle
