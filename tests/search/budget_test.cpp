#include "oracle/search/budget.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace budget_test {

const Graph kChain = dense_chain({256, 256, 256, 256}, true);

ConvergenceLaw law_of(double least, double critical) {
  ConvergenceLaw law;
  law.least = least;
  law.slope = least / critical;
  law.first = 1;
  law.last = 1'000'000;
  return law;
}

BudgetRequest request_of(std::vector<std::int64_t> counts) {
  BudgetRequest request;
  request.counts = std::move(counts);
  request.strategy = parse_strategy("data");
  request.training = training_of(1);
  request.length = {100'000, law_of(10, 1000)};
  request.rates = {2, 300, 1};
  return request;
}

BudgetStudy study_of(const BudgetRequest& request, const Cluster& cluster = fast_cluster()) {
  const Profile none;
  return budget({kChain, cluster, none}, request);
}

double seconds(const BudgetRun& run) { return run.cost.time.time.value; }

TEST(Budget, TriesPowersOfTwoTimesTheReplicas) {
  const BudgetRequest request = request_of({4});
  const std::vector<std::int64_t> batches = batches_of(parse_strategy("data:4"), request);
  ASSERT_GE(batches.size(), 6U);
  EXPECT_EQ(batches[0], 4);
  EXPECT_EQ(batches[4], 64);
  // Ranks that share samples are one replica.
  EXPECT_EQ(batches_of(parse_strategy("data:2,filter:2"), request)[0], 2);
  EXPECT_EQ(batches_of(parse_strategy("filter:4"), request)[0], 1);
  EXPECT_EQ(batches_of(parse_strategy("conv*=data:4; fc*=filter:4"), request)[0], 4);
}

TEST(Budget, NoBatchIsLargerThanTheData) {
  BudgetRequest request = request_of({4});
  request.length = {100, 3.0};
  EXPECT_EQ(batches_of(parse_strategy("data:4"), request),
            (std::vector<std::int64_t>{4, 8, 16, 32, 64}));
}

TEST(Budget, ABatchThatIsGivenIsTheOnlyOne) {
  BudgetRequest request = request_of({4});
  request.batch = 96;
  EXPECT_EQ(batches_of(parse_strategy("data:4"), request), std::vector<std::int64_t>{96});
  request.batch.reset();
  request.batch_per_rank = 8;
  EXPECT_EQ(batches_of(parse_strategy("data:2,filter:2"), request), std::vector<std::int64_t>{32});
}

TEST(Budget, ARunIsItsStepsTimesItsStep) {
  BudgetRequest request = request_of({4});
  request.batch = 1000;
  const BudgetStudy study = study_of(request);
  ASSERT_EQ(study.points.size(), 1U);
  const BudgetRun& run = study.points.front();
  // At B_crit 20 epochs of 100 steps.
  EXPECT_EQ(run.cost.steps, 2000);
  const double step = run.evaluation.fits()->step.time.value;
  EXPECT_NEAR(seconds(run), 2000 * step, 1e-9 * seconds(run));
  EXPECT_NEAR(run.cost.device_hours, 4 * 2000 * step / 3600, 1e-9 * seconds(run));
  EXPECT_NEAR(run.cost.dollars.value(), 2 * run.cost.device_hours, 1e-12);
  EXPECT_GT(run.busy, 0);
  EXPECT_LE(run.busy, 1);
}

TEST(Budget, TheBestOfEachObjectiveIsNoWorseThanAnyRun) {
  const BudgetRequest request = request_of({1, 2, 4, 8});
  const BudgetStudy study = study_of(request);
  ASSERT_EQ(study.points.size(), 4U);
  EXPECT_GT(study.tried, 30);
  for (const std::int64_t ranks : request.counts) {
    for (const std::int64_t batch : {64, 512, 4096}) {
      BudgetRequest one = request;
      one.counts = {ranks};
      one.batch = batch;
      const BudgetRun run = study_of(one).points.front();
      ASSERT_TRUE(run.fits());
      const BudgetRun* fastest = study.best_for(BudgetObjective::time);
      const BudgetRun* cheapest = study.best_for(BudgetObjective::cost);
      const BudgetRun* least = study.best_for(BudgetObjective::energy);
      EXPECT_LE(seconds(*fastest), seconds(run));
      EXPECT_LE(cheapest->cost.device_hours, run.cost.device_hours);
      EXPECT_LE(*least->cost.kilowatt_hours, *run.cost.kilowatt_hours);
    }
  }
}

TEST(Budget, WhereLargeBatchesNeedMoreDataTheBestIsSmaller) {
  BudgetRequest request = request_of({4});
  request.length.amount = law_of(10, 1e9);
  const std::int64_t easy = study_of(request).points.front().batch;
  request.length.amount = law_of(10, 64);
  const std::int64_t hard = study_of(request).points.front().batch;
  EXPECT_LT(hard, easy);
}

TEST(Budget, ADeadlineIsKeptAtTheLeastCost) {
  BudgetRequest request = request_of({1, 2, 4, 8});
  const BudgetStudy free = study_of(request);
  const BudgetRun fastest = *free.best_for(BudgetObjective::time);
  const BudgetRun cheapest = *free.best_for(BudgetObjective::cost);
  ASSERT_LT(seconds(fastest), seconds(cheapest));
  request.objective = BudgetObjective::cost;
  request.deadline = Seconds{(seconds(fastest) + seconds(cheapest)) / 2};
  const BudgetStudy bound = study_of(request);
  const BudgetRun& run = *bound.best_for(BudgetObjective::cost);
  EXPECT_TRUE(run.allowed);
  EXPECT_LE(run.cost.time.time, *request.deadline);
  EXPECT_GE(run.cost.device_hours, cheapest.cost.device_hours);
  EXPECT_LE(run.cost.device_hours, fastest.cost.device_hours);
}

TEST(Budget, APurseIsKeptAtTheLeastTime) {
  BudgetRequest request = request_of({1, 2, 4, 8});
  const BudgetStudy free = study_of(request);
  const double least = *free.best_for(BudgetObjective::cost)->cost.dollars;
  const double most = *free.best_for(BudgetObjective::time)->cost.dollars;
  ASSERT_LT(least, most);
  request.purse = (least + most) / 2;
  const BudgetRun run = *study_of(request).best_for(BudgetObjective::time);
  EXPECT_TRUE(run.allowed);
  EXPECT_LE(*run.cost.dollars, *request.purse);
}

TEST(Budget, WhereNothingKeepsToTheLimitsTheNearestIsThere) {
  BudgetRequest request = request_of({1, 2, 4});
  const double fastest = seconds(*study_of(request).best_for(BudgetObjective::time));
  request.objective = BudgetObjective::cost;
  request.deadline = Seconds{fastest / 2};
  const BudgetRun late = *study_of(request).best_for(BudgetObjective::cost);
  EXPECT_FALSE(late.allowed);
  EXPECT_EQ(seconds(late), fastest);
  request.deadline.reset();
  request.purse = 1e-9;
  const BudgetRun dear = *study_of(request).best_for(BudgetObjective::cost);
  EXPECT_FALSE(dear.allowed);
  EXPECT_EQ(dear.cost.device_hours,
            study_of(request_of({1, 2, 4})).best_for(BudgetObjective::cost)->cost.device_hours);
}

TEST(Budget, ACountOnWhichNothingFitsSaysWhy) {
  Cluster cluster = flat_cluster();
  cluster.device.memory = Bytes{1e3};
  const BudgetStudy study = study_of(request_of({2}), cluster);
  ASSERT_EQ(study.points.size(), 1U);
  EXPECT_NE(study.points.front().evaluation.infeasible(), nullptr);
  EXPECT_FALSE(study.points.front().allowed);
  EXPECT_EQ(study.best_for(BudgetObjective::time), nullptr);
}

TEST(Budget, CountsThatTheOtherAxesDoNotDivideAreRefused) {
  BudgetRequest request = request_of({6});
  request.strategy = parse_strategy("data,filter:4");
  EXPECT_THROW(study_of(request), InputError);
}

FailureRequest failures() { return {Seconds{6000}, 8, Seconds{10}, Seconds{600}, {}}; }

TEST(Budget, FewerRanksFailInProportionLessOften) {
  const Checkpointing all = checkpointing(failures(), 8, Seconds{1});
  EXPECT_EQ(all.mtbf, Seconds{6000});
  EXPECT_EQ(all.every, 340);
  EXPECT_NEAR(all.goodput, 0.854, 0.0005);
  const Checkpointing half = checkpointing(failures(), 4, Seconds{1});
  EXPECT_EQ(half.mtbf, Seconds{12000});
  EXPECT_GT(half.every, all.every);
  EXPECT_GT(half.goodput, all.goodput);
}

TEST(Budget, StepsBetweenCheckpointsAreThoseAskedFor) {
  FailureRequest request = failures();
  request.every = 1000;
  const Checkpointing rare = checkpointing(request, 8, Seconds{1});
  EXPECT_EQ(rare.every, 1000);
  EXPECT_LT(rare.goodput, checkpointing(failures(), 8, Seconds{1}).goodput);
}

TEST(Budget, ARunTakesLongerByItsGoodput) {
  BudgetRequest request = request_of({4});
  request.batch = 1000;
  const BudgetRun smooth = study_of(request).points.front();
  request.failures = FailureRequest{Seconds{0.05}, 4, Seconds{1e-4}, Seconds{1e-4}, {}};
  const BudgetRun rough = study_of(request).points.front();
  ASSERT_TRUE(rough.checkpoints);
  const double share = rough.checkpoints->goodput;
  EXPECT_LT(share, 0.99);
  EXPECT_NEAR(seconds(rough) * share, seconds(smooth), 1e-9 * seconds(smooth));
  // While nothing is computed a board draws its idle power.
  EXPECT_LT(*rough.cost.kilowatt_hours / seconds(rough),
            *smooth.cost.kilowatt_hours / seconds(smooth));
}

TEST(Budget, AMachineThatHardlyWorksIsRefused) {
  FailureRequest request = failures();
  request.mtbf = Seconds{1};
  EXPECT_THROW(static_cast<void>(checkpointing(request, 8, Seconds{1})), InputError);
}

TEST(Budget, StopsWhereItsProgressSaysSo) {
  BudgetRequest request = request_of({1, 2, 4});
  request.progress = [](std::int64_t done, std::int64_t all) {
    EXPECT_EQ(all, 3);
    return done < 2;
  };
  EXPECT_EQ(study_of(request).points.size(), 2U);
}

}  // namespace budget_test
}  // namespace oracle
