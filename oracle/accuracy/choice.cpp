#include "oracle/accuracy/choice.h"

#include <algorithm>
#include <map>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

/// Nearer steps are equal.
constexpr double kEqual = 0.02;

struct Repeated {
  std::vector<double> predicted, measured;
};

struct Medians {
  std::string strategy;
  double predicted = 0, measured = 0;
};

void count_pairs(const std::vector<Medians>& strategies, StrategyChoice& choice) {
  for (std::size_t a = 0; a < strategies.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const Medians &one = strategies[a], &other = strategies[b];
      const auto [less, more] = std::minmax(one.measured, other.measured);
      if (more <= less * (1 + kEqual)) continue;
      ++choice.pairs;
      const bool in_order = (one.measured < other.measured) == (one.predicted < other.predicted);
      if (in_order) ++choice.in_order;
    }
  }
}

StrategyChoice choice_among(const std::string& setting, const std::vector<Medians>& strategies) {
  const auto by = [](double Medians::*side) {
    return [side](const Medians& a, const Medians& b) { return a.*side < b.*side; };
  };
  const auto [best, worst] =
      std::minmax_element(strategies.begin(), strategies.end(), by(&Medians::measured));
  const auto chosen =
      std::min_element(strategies.begin(), strategies.end(), by(&Medians::predicted));
  StrategyChoice choice{.setting = setting,
                        .strategies = strategies.size(),
                        .predicted_best = chosen->strategy,
                        .measured_best = best->strategy,
                        .loss = chosen->measured / best->measured - 1,
                        .spread = worst->measured / best->measured - 1};
  count_pairs(strategies, choice);
  return choice;
}

}  // namespace

std::vector<StrategyChoice> choices_of(std::span<const ChosenRun> runs) {
  std::vector<std::string> order;
  std::map<std::string, std::map<std::string, Repeated>> settings;
  for (const ChosenRun& run : runs) {
    if (!settings.contains(run.setting)) order.push_back(run.setting);
    Repeated& steps = settings[run.setting][run.strategy];
    steps.predicted.push_back(run.predicted.value);
    steps.measured.push_back(run.measured.value);
  }
  std::vector<StrategyChoice> choices;
  for (const std::string& setting : order) {
    std::vector<Medians> strategies;
    for (const auto& [strategy, steps] : settings[setting]) {
      strategies.push_back({strategy, median(steps.predicted), median(steps.measured)});
    }
    if (strategies.size() > 1) choices.push_back(choice_among(setting, strategies));
  }
  return choices;
}

}  // namespace oracle
