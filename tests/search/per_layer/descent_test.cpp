#include "oracle/search/per_layer/descent.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle::per_layer {
namespace descent_test {

constexpr std::array<Cut, 4> kCuts = {Cut::none, Cut::sample, Cut::filter, Cut::channel};

struct Bench {
  Graph graph = dense_chain({2048, 4096, 4096, 1024}, true);
  Cluster cluster = flat_cluster();
  Profile profile;
  std::vector<std::int64_t> degrees = {16};
  Problem problem{graph, cluster, profile, training_of(64), degrees, kCuts, Strategy{}};
};

TEST(Judge, KeepsTheShortestStepAndJudgesAnAssignmentOnce) {
  Bench bench;
  Judge judge(bench.problem, 100);
  const Path whole = {0, 0, 0}, by_sample = {1, 1, 1};
  EXPECT_TRUE(judge.look_at(by_sample));
  const double first = judge.worst();
  EXPECT_FALSE(judge.look_at(by_sample));
  EXPECT_EQ(judge.evaluations(), 1);
  judge.look_at(whole);
  EXPECT_EQ(judge.evaluations(), 2);
  EXPECT_LE(judge.worst(), first);
  EXPECT_EQ(
      evaluate(bench.graph, bench.cluster, bench.profile, judge.best()->strategy, training_of(64))
          .fits()
          ->step.time.value,
      judge.worst());
}

TEST(Judge, StopsWhenItsBudgetIsSpent) {
  Bench bench;
  Judge judge(bench.problem, 1);
  EXPECT_TRUE(judge.look_at(Path{0, 0, 0}));
  EXPECT_TRUE(judge.spent());
  EXPECT_FALSE(judge.look_at(Path{1, 1, 1}));
  EXPECT_EQ(judge.evaluations(), 1);
}

TEST(Judge, RemembersWhatLacksLeastOfFitting) {
  Bench bench;
  bench.cluster.device.memory = Bytes{1e6};
  Judge judge(bench.problem, 100);
  EXPECT_FALSE(judge.look_at(Path{0, 0, 0}));
  const double lacking = judge.nearest()->needed;
  EXPECT_FALSE(judge.look_at(Path{2, 2, 2}));
  EXPECT_LT(judge.nearest()->needed, lacking);
  EXPECT_FALSE(judge.best().has_value());
}

/// Dense layers with few samples: their weights are too large to exchange.
TEST(Descent, LeavesSamplesWhereExchangeIsDear) {
  Bench bench;
  Judge judge(bench.problem, 1000);
  const Path by_sample = {1, 1, 1};
  judge.look_at(by_sample);
  const double before = judge.worst();
  descend(bench.problem, std::vector<Path>{by_sample}, judge);
  EXPECT_LT(judge.worst(), 0.5 * before);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NE(judge.best()->path[k], 1) << k;
}

TEST(Descent, EndsWhereNoSingleChangeHelps) {
  Bench bench;
  Judge judge(bench.problem, 1000);
  judge.look_at(Path{1, 1, 1});
  descend(bench.problem, {}, judge);
  const Path best = judge.best()->path;
  const double step = judge.worst();
  for (std::size_t k = 0; k < best.size(); ++k) {
    for (std::uint16_t choice = 0; choice < 4; ++choice) {
      Path other = best;
      other[k] = choice;
      const Evaluation evaluation = evaluate(bench.graph, bench.cluster, bench.profile,
                                             judge.strategy(other, false), training_of(64));
      EXPECT_GE(evaluation.fits()->step.time.value, step);
    }
  }
}

}  // namespace descent_test
}  // namespace oracle::per_layer
