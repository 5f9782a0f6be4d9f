#include "oracle/accuracy/accuracy.h"

#include <gtest/gtest.h>
#include <vector>

namespace oracle {
namespace accuracy_test {

Comparison comparison(double predicted, double uncertainty, double measured) {
  return {{Seconds{predicted}, Source::assumed, uncertainty}, Seconds{measured}};
}

TEST(Accuracy, WorkedNumber) {
  const Comparison worked = comparison(0.110, 0.20, 0.100);
  EXPECT_NEAR(worked.signed_error(), 0.10, 1e-12);
  EXPECT_TRUE(worked.inside_interval());
}

TEST(Accuracy, TheIntervalIsAboutThePrediction) {
  EXPECT_TRUE(comparison(1.0, 0.25, 1.25).inside_interval());
  EXPECT_FALSE(comparison(1.0, 0.25, 1.26).inside_interval());
  EXPECT_FALSE(comparison(1.0, 0.25, 0.74).inside_interval());
}

TEST(Accuracy, QuantilesAreOfTheSizeAndTheWorstKeepsItsSign) {
  const std::vector<Comparison> runs = {comparison(1.1, 0.2, 1), comparison(0.6, 0.2, 1),
                                        comparison(1.2, 0.3, 1), comparison(1.0, 0.1, 1)};
  const Accuracy accuracy = judge(runs);
  EXPECT_EQ(accuracy.count, 4U);
  EXPECT_NEAR(accuracy.median, 0.15, 1e-12);
  EXPECT_NEAR(accuracy.p90, 0.34, 1e-12);
  EXPECT_NEAR(accuracy.worst, -0.4, 1e-12);
  EXPECT_NEAR(accuracy.bias, -0.025, 1e-12);
  EXPECT_NEAR(accuracy.coverage, 0.75, 1e-12);
}

TEST(Accuracy, NothingToJudgeIsNoError) { EXPECT_EQ(judge({}).count, 0U); }

}  // namespace accuracy_test
}  // namespace oracle
