#pragma once
// How does a system of clocks go on that has run the same round many times?
//
// Each clock of a round is the later of two others, plus a constant. While the same one is the
// later each time, clocks advance by the same amounts every `period` rounds: a block. Two blocks
// that chose alike and advanced alike are followed by such blocks until a choice turns, and when
// one turns is known: the margin by which one clock is later shrinks by as much each block.
//
// Worked: clock a advances by 2 each round and b by 3, from 10 and 0; max(a, b) turns to b after 10
// rounds                                                         tests/timeline/steady_test.cpp

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace oracle {

/// What is remembered of the rounds run last. Clocks and margins are in seconds, always as many.
class SteadyState {
 public:
  /// Blocks are of up to `longest` rounds.
  explicit SteadyState(std::size_t longest) : longest_(longest) {}

  /// Takes note of a round: the clocks after it, and of each choice by how much its first clock was
  /// later than its second.
  void note(std::span<const double> clocks, std::span<const double> margins);

  /// Sets clocks ahead by as many of `left` rounds as are certain; returns how many.
  std::int64_t skip(std::int64_t left, std::span<double> clocks);

 private:
  struct Round {
    std::vector<double> clocks, margins;
  };

  /// The round noted so long ago.
  const Round& back(std::size_t rounds) const;
  bool repeats(std::size_t period) const;
  std::int64_t blocks_ahead(std::size_t period) const;
  double rounding() const;

  std::size_t longest_;
  std::size_t noted_ = 0;
  std::vector<Round> rounds_;  ///< the last 2·longest + 1, in turn
};

}  // namespace oracle
