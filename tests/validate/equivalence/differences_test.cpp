#include "validate/equivalence/differences.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"
#include "tests/validate/networks.h"

namespace oracle {
namespace differences_test {

TEST(Differences, AddUpOverRanksNormWise) {
  const Graph graph = plain_network();
  const LayerId conv1 = id_of(graph, "conv1");
  // Two halves of a weight of norm √(9 + 16) = 5, off by √(0.01 + 0.03) = 0.2.
  const std::vector<GradientDifference> found = {{conv1, 0, 0.01, 9, 0}, {conv1, 0, 0.03, 16, 0}};
  const Equivalence judged = judge(graph, found, {1}, {1}, {1});
  ASSERT_EQ(judged.errors.size(), 1U);
  EXPECT_EQ(judged.errors[0].name, "conv1 weight");
  EXPECT_NEAR(judged.errors[0].relative, 0.04, 1e-12);
  EXPECT_EQ(judged.missing.size(), 7U);  // conv1 bias, and both of the other three layers
  EXPECT_FALSE(judged.holds());
}

TEST(Differences, AZeroGradientIsMeasuredAgainstItsLayers) {
  const Graph graph = plain_network();
  const LayerId conv1 = id_of(graph, "conv1");
  const std::vector<GradientDifference> found = {{conv1, 0, 0, 100, 0},
                                                 {conv1, 1, 1e-14, 1e-14, 0}};
  EXPECT_NEAR(judge(graph, found, {1}, {1}, {1}).errors[1].relative, 1e-7 / 0.1, 1e-9);
}

TEST(Differences, NotANumberNeverHolds) {
  const Graph graph = dense_chain({4, 2});
  const Equivalence judged =
      judge(graph, std::vector<GradientDifference>{{1, 0, NAN, 1, 0}}, {1}, {1}, {1});
  EXPECT_FALSE(judged.holds());
  const std::vector<GradientDifference> fine = {{1, 0, 0, 1, 0}};
  EXPECT_TRUE(judge(graph, fine, {1}, {1}, {1}).holds());
  EXPECT_FALSE(judge(graph, fine, {NAN}, {1}, {1}).holds());
  EXPECT_FALSE(judge(graph, fine, {1, 1.001}, {1, 1}, {1, 1}).holds());
  EXPECT_TRUE(
      judge(graph, fine, {1, 1, 1.001}, {1, 1, 1}, {1, 1, 1}).holds());  // the third is not judged
}

TEST(Differences, AreAllowedToBeTenTimesTheNoise) {
  const Graph graph = dense_chain({4, 2});
  const auto holds = [&](double error, double noise) {
    const std::vector<GradientDifference> found = {{1, 0, error * error, 1, noise * noise}};
    return judge(graph, found, {1}, {1}, {1}).holds();
  };
  EXPECT_TRUE(holds(9e-6, 0));
  EXPECT_FALSE(holds(2e-5, 1e-6));
  EXPECT_TRUE(holds(2e-5, 3e-6));
  EXPECT_TRUE(holds(0.49, 0.3));
  EXPECT_FALSE(holds(0.51, 0.3));
  EXPECT_FALSE(judge(graph, {}, {1.1}, {1}, {1}).holds());
}

/// Noises 0.01 and 0.07: a root of the mean square of 0.05, so 0.15 is allowed to the first and
/// 0.21 to the second.
TEST(Differences, OfTwoBytesAreAllowedToBeThreeTimesTheNoiseOfAll) {
  const Graph graph = dense_chain({4, 4, 2});
  const LayerId first = id_of(graph, "fc1"), second = id_of(graph, "fc2");
  const std::vector<GradientDifference> found = {{first, 0, 0, 1, 0.01 * 0.01},
                                                 {second, 0, 0, 1, 0.07 * 0.07}};
  const Rounding bf16 = rounding_of(precision_named("bf16"));
  const Equivalence judged = judge(graph, found, {1}, {1}, {1}, bf16);
  EXPECT_NEAR(judged.errors[0].allowed, 0.15, 1e-12);
  EXPECT_NEAR(judged.errors[1].allowed, 0.21, 1e-12);
  EXPECT_EQ(judged.allowed_loss_error(), 0x1p-6);
  EXPECT_NEAR(judge(graph, found, {1}, {1}, {1}).errors[0].allowed, 0.1, 1e-12);
}

TEST(Differences, SurviveTheirText) {
  const std::vector<GradientDifference> found = {{3, 1, 0.1, 1e300, 0.25}, {4, 0, 0, 1, 0}};
  const std::vector<std::string> texts = {to_text(found), ""};
  const std::vector<GradientDifference> read = parse_differences(texts);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].layer, 3U);
  EXPECT_EQ(read[0].parameter, 1U);
  EXPECT_EQ(read[0].difference, 0.1);
  EXPECT_EQ(read[0].reference, 1e300);
  EXPECT_EQ(read[0].noise, 0.25);
}

}  // namespace differences_test
}  // namespace oracle
