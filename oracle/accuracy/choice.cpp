#include "oracle/accuracy/choice.h"

#include <algorithm>
#include <map>

#include "oracle/accuracy/grouped_steps.h"

namespace oracle {
namespace {

using StepsByStrategy = std::map<std::string, StepPair>;

/// Nearer steps are equal.
constexpr double kEqual = 0.02;

void count_pairs(const StepsByStrategy& strategies, StrategyChoice& choice) {
  for (auto a = strategies.begin(); a != strategies.end(); ++a) {
    for (auto b = strategies.begin(); b != a; ++b) {
      const StepPair &one = a->second, &other = b->second;
      const auto [less, more] = std::minmax(one.measured, other.measured);
      if (more <= less * (1 + kEqual)) continue;
      ++choice.pairs;
      const bool in_order = (one.measured < other.measured) == (one.predicted < other.predicted);
      if (in_order) ++choice.in_order;
    }
  }
}

StrategyChoice choice_among(const std::string& setting, const StepsByStrategy& strategies) {
  const auto by = [](double StepPair::*side) {
    return [side](const auto& a, const auto& b) { return a.second.*side < b.second.*side; };
  };
  const auto [best, worst] =
      std::minmax_element(strategies.begin(), strategies.end(), by(&StepPair::measured));
  const auto chosen =
      std::min_element(strategies.begin(), strategies.end(), by(&StepPair::predicted));
  const double least = best->second.measured;
  StrategyChoice choice{.setting = setting,
                        .strategies = strategies.size(),
                        .predicted_best = chosen->first,
                        .measured_best = best->first,
                        .loss = chosen->second.measured / least - 1,
                        .spread = worst->second.measured / least - 1};
  count_pairs(strategies, choice);
  return choice;
}

}  // namespace

std::vector<StrategyChoice> choices_of(std::span<const ChosenRun> runs) {
  GroupedSteps<std::string> settings;
  for (const ChosenRun& run : runs) {
    settings.add(run.setting, run.strategy, run.predicted, run.measured);
  }
  std::vector<StrategyChoice> choices;
  for (const auto& [setting, strategies] : settings.medians()) {
    if (strategies.size() > 1) choices.push_back(choice_among(setting, strategies));
  }
  return choices;
}

}  // namespace oracle
