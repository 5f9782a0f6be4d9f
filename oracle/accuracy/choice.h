#pragma once
// Is the strategy that is predicted to be the fastest the one that was measured to be?
//
//   loss   = measured step of the strategy predicted fastest / of the one measured fastest - 1
//   pairs    of strategies whose measured steps differ by more than 2 %, and how many of these the
//            prediction puts in the order measured
//
// Runs in one setting differ in nothing but their strategy. Where several have the same, their
// median counts. A setting with one strategy leaves no choice.
//
// Worked: measured 100, 110 and 130 ms, predicted 105, 100 and 120: a loss of 10 %, 2 pairs of 3
//                                                                tests/accuracy/choice_test.cpp

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "oracle/base/units.h"

namespace oracle {

/// One run in a setting.
struct ChosenRun {
  std::string setting, strategy;
  Seconds predicted, measured;
};

struct StrategyChoice {
  std::string setting;
  std::size_t strategies = 0;
  std::string predicted_best, measured_best;
  double loss = 0;
  double spread = 0;  ///< of the slowest, as loss
  std::size_t pairs = 0, in_order = 0;
};

/// In the order in which runs name their settings.
std::vector<StrategyChoice> choices_of(std::span<const ChosenRun> runs);

}  // namespace oracle
