#include "oracle/search/trial_study.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace trial_study_test {

const Graph kChain = dense_chain({256, 256, 256, 256}, true);

TrialRequest request_of(std::int64_t trials, TrialScheduler scheduler = TrialScheduler::random) {
  TrialRequest request;
  request.ranks = 32;
  request.per_trial = {1, 2, 4, 8, 16, 32};
  request.search.trials = trials;
  request.search.scheduler = scheduler;
  request.strategy = parse_strategy("data");
  request.training = training_of(1);
  request.batch = 65536;
  request.length = {1'000'000, 3.0};
  request.rates = {2, 300, 1};
  return request;
}

TrialStudy study_of(const TrialRequest& request) {
  const Profile none;
  const Cluster cluster = fast_cluster();
  return study_trials({kChain, cluster, none}, request);
}

std::int64_t best_of(const TrialStudy& study) { return study.points[study.best.value()].ranks; }

TEST(TrialStudy, OneDeviceEachIsFastestWhereTrialsFillThem) {
  EXPECT_EQ(best_of(study_of(request_of(32))), 1);
  EXPECT_EQ(best_of(study_of(request_of(64))), 1);
}

TEST(TrialStudy, FewerTrialsThanDevicesTakeMoreEach) {
  EXPECT_EQ(best_of(study_of(request_of(16))), 2);
  EXPECT_EQ(best_of(study_of(request_of(8))), 4);
  EXPECT_EQ(best_of(study_of(request_of(1))), 32);
}

TEST(TrialStudy, TimesAreThoseOfItsParts) {
  const TrialRequest request = request_of(48);
  const TrialStudy study = study_of(request);
  ASSERT_EQ(study.points.size(), 6U);
  for (const TrialPoint& point : study.points) {
    ASSERT_TRUE(point.fits());
    EXPECT_EQ(point.places, 32 / point.ranks);
    const double alone = 3 * 16 * point.evaluation.fits()->step.time.value;  // ⌈10⁶/65,536⌉ steps
    EXPECT_NEAR(point.alone.time.value, alone, 1e-9 * alone);
    const std::int64_t waves = (48 + point.places - 1) / point.places;
    const double time = static_cast<double>(waves) * alone;
    EXPECT_NEAR(point.cost.time.time.value, time, 1e-9 * time);
    EXPECT_NEAR(point.cost.device_hours, 32 * time / 3600, 1e-9 * time);
    EXPECT_NEAR(point.cost.dollars.value(), 2 * point.cost.device_hours, 1e-9 * time);
  }
}

TEST(TrialStudy, SaysWhatIsFastestForFewerTrials) {
  const TrialStudy study = study_of(request_of(48));
  ASSERT_EQ(study.by_trials.size(), 7U);  // 1, 2, …, 32, 48
  EXPECT_EQ(study.by_trials[0].ranks, 32);
  EXPECT_EQ(study.by_trials[4].trials, 16);
  EXPECT_EQ(study.by_trials[4].ranks, 2);
  EXPECT_EQ(study.by_trials[6].ranks, best_of(study));
  for (std::size_t t = 1; t < study.by_trials.size(); ++t) {
    EXPECT_GE(study.by_trials[t].time, study.by_trials[t - 1].time);
  }
}

TEST(TrialStudy, StoppingEarlyTakesLessTime) {
  const auto time = [](TrialScheduler scheduler) {
    const TrialStudy study = study_of(request_of(81, scheduler));
    return study.points.front().cost.time.time;
  };
  const Seconds random = time(TrialScheduler::random);
  EXPECT_LT(time(TrialScheduler::halving), random);
  EXPECT_LT(time(TrialScheduler::asha), random);
}

TEST(TrialStudy, WhatNeverFitsHasNoBest) {
  TrialRequest request = request_of(4);
  request.batch = 1'000'000'000;
  const TrialStudy study = study_of(request);
  EXPECT_FALSE(study.best);
  EXPECT_TRUE(study.by_trials.empty());
}

}  // namespace trial_study_test
}  // namespace oracle
