#include "oracle/accuracy/choice.h"

#include <gtest/gtest.h>

namespace oracle {
namespace choice_test {

ChosenRun run(const char* setting, const char* strategy, double predicted, double measured) {
  return {setting, strategy, Seconds{predicted}, Seconds{measured}};
}

TEST(Choice, WorkedNumber) {
  const std::vector<ChosenRun> runs = {run("8 GPUs", "data", 0.105, 0.100),
                                       run("8 GPUs", "tensor", 0.100, 0.110),
                                       run("8 GPUs", "pipeline", 0.120, 0.130)};
  const auto choices = choices_of(runs);
  ASSERT_EQ(choices.size(), 1U);
  const StrategyChoice& choice = choices[0];
  EXPECT_EQ(choice.predicted_best, "tensor");
  EXPECT_EQ(choice.measured_best, "data");
  EXPECT_NEAR(choice.loss, 0.10, 1e-12);
  EXPECT_NEAR(choice.spread, 0.30, 1e-12);
  EXPECT_EQ(choice.pairs, 3U);
  EXPECT_EQ(choice.in_order, 2U);
}

TEST(Choice, StepsWithinTwoPercentAreNoPair) {
  const std::vector<ChosenRun> runs = {run("s", "a", 2, 1.00), run("s", "b", 1, 1.01)};
  const auto choices = choices_of(runs);
  ASSERT_EQ(choices.size(), 1U);
  EXPECT_EQ(choices[0].pairs, 0U);
  EXPECT_NEAR(choices[0].loss, 0.01, 1e-12) << "a loss all the same";
}

TEST(Choice, RunsOfOneStrategyAreOneAndOneLeavesNone) {
  const std::vector<ChosenRun> runs = {run("alone", "a", 1, 1), run("alone", "a", 2, 2),
                                       run("two", "a", 3, 1),   run("two", "b", 2, 2),
                                       run("two", "b", 2, 4),   run("two", "b", 2, 9)};
  const auto choices = choices_of(runs);
  ASSERT_EQ(choices.size(), 1U);
  EXPECT_EQ(choices[0].setting, "two");
  EXPECT_EQ(choices[0].strategies, 2U);
  EXPECT_DOUBLE_EQ(choices[0].loss, 3) << "the median of 2, 4 and 9 s";
}

}  // namespace choice_test
}  // namespace oracle
