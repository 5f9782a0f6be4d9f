#include "oracle/search/scale.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace scale_test {

const Graph kChain = dense_chain({256, 256, 256, 256}, true);

TEST(Fill, GivesTheOpenAxisWhatTheOthersLeave) {
  EXPECT_EQ(to_text(fill(parse_strategy("data,filter:4"), 64)), "data:16,filter:4");
  EXPECT_EQ(to_text(fill(parse_strategy("spatial"), 6)), "spatial:6");
  EXPECT_EQ(fill(parse_strategy("data,filter:4"), 4).ranks(), 4);
}

TEST(Fill, RefusesCountsThatTheOthersDoNotDivide) {
  try {
    fill(parse_strategy("data,filter:4"), 6);
    FAIL() << "let pass";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "--strategy: 4 ranks of the other axes do not divide 6 GPUs; choose counts that are "
        "multiples of 4");
  }
  EXPECT_THROW(fill(parse_strategy("data:4"), 8), InputError);
}

ScaleRequest request_of(const std::string& strategy, std::vector<std::int64_t> counts, bool weak,
                        std::int64_t batch) {
  ScaleRequest request;
  request.counts = std::move(counts);
  request.training = training_of(batch);
  request.weak = weak;
  if (!strategy.empty()) request.strategy = parse_strategy(strategy);
  request.search.threads = 1;
  return request;
}

TEST(Scale, WeakKeepsTheSamplesPerRank) {
  const ScaleStudy study =
      scale(kChain, flat_cluster(), Profile{}, request_of("data", {1, 2, 8}, true, 32));
  ASSERT_EQ(study.points.size(), 3U);
  EXPECT_EQ(study.points[0].batch, 32);
  EXPECT_EQ(study.points[1].batch, 64);
  EXPECT_EQ(study.points[2].batch, 256);
  EXPECT_EQ(study.points[2].ranks, 8);
  EXPECT_EQ(study.points[2].evaluation.ranks, 8);
  EXPECT_EQ(study.points[0].efficiency, 1);
  // The same work on each rank, and an exchange on top.
  const double one = study.points[0].evaluation.fits()->step.time.value;
  const double eight = study.points[2].evaluation.fits()->step.time.value;
  EXPECT_GT(eight, one);
  EXPECT_NEAR(study.points[2].efficiency, one / eight, 1e-12);
}

TEST(Scale, StrongKeepsTheBatch) {
  const ScaleStudy study =
      scale(kChain, flat_cluster(), Profile{}, request_of("data", {2, 4, 64}, false, 32));
  EXPECT_EQ(study.points[0].batch, 32);
  EXPECT_EQ(study.points[1].batch, 32);
  const double two = study.points[0].evaluation.fits()->step.time.value;
  const double four = study.points[1].evaluation.fits()->step.time.value;
  EXPECT_NEAR(study.points[1].efficiency, two / four / 2, 1e-12);
  // 64 ranks have no sample each.
  ASSERT_NE(study.points[2].evaluation.infeasible(), nullptr);
  EXPECT_EQ(study.points[2].efficiency, 0);
}

TEST(Scale, EfficiencyIsRelativeToTheFirstThatFits) {
  // The wide layer fits no rank alone.
  Cluster cluster = flat_cluster();
  cluster.device.memory = Bytes{40e6};
  const ScaleStudy study = scale(dense_chain({2048, 2048, 2048}), cluster, Profile{},
                                 request_of("filter", {1, 2, 4}, false, 8));
  EXPECT_EQ(study.points[0].efficiency, 0);
  EXPECT_EQ(study.points[1].efficiency, 1);
  EXPECT_GT(study.points[2].efficiency, 0);
}

TEST(Scale, FindsWhereCommunicationOvertakesCompute) {
  const ScaleStudy study =
      scale(kChain, flat_cluster(), Profile{}, request_of("data", {1, 2, 4, 8, 16}, true, 4096));
  for (const ScalePoint& point : study.points) {
    const Breakdown& parts = point.evaluation.fits()->timeline.breakdown;
    const bool over = parts.exposed_activation + parts.exposed_gradient >
                      parts.forward + parts.backward + parts.update;
    if (!over) continue;
    EXPECT_EQ(study.crossover, point.ranks);
    return;
  }
  EXPECT_FALSE(study.crossover);
}

TEST(Scale, SlowLinksAreOvertakenAtOnce) {
  Cluster slow = flat_cluster();
  slow.levels[0].uplink.bandwidth = slow.levels[0].uplink.flow_limit = Bandwidth{1e6};
  const ScaleStudy study = scale(kChain, slow, Profile{}, request_of("data", {1, 2, 4}, true, 4));
  EXPECT_EQ(study.crossover, 2);
}

TEST(Scale, WithoutAStrategyTakesTheBest) {
  ScaleRequest request = request_of("", {1, 4}, true, 32);
  const ScaleStudy study = scale(kChain, flat_cluster(), Profile{}, request);
  SearchRequest search_request;
  search_request.ranks = 4;
  search_request.training = training_of(128);
  search_request.threads = 1;
  const Ranking ranking = search(kChain, flat_cluster(), Profile{}, search_request);
  Strategy chosen = study.points[1].evaluation.strategy;
  chosen.stages.clear();
  EXPECT_EQ(chosen, ranking.candidates.front().strategy);
  EXPECT_EQ(study.points[1].evaluation.fits()->step, ranking.candidates.front().step);
}

TEST(Scale, SaysWhyNothingFits) {
  Cluster cluster = flat_cluster();
  cluster.device.memory = Bytes{1000};
  const ScaleStudy study = scale(kChain, cluster, Profile{}, request_of("", {4}, true, 32));
  ASSERT_NE(study.points[0].evaluation.infeasible(), nullptr);
  EXPECT_EQ(study.points[0].evaluation.infeasible()->constraint, Constraint::memory);
  EXPECT_EQ(study.points[0].evaluation.strategy.ranks(), 4);
}

}  // namespace scale_test
}  // namespace oracle
