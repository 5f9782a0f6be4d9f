#include "validate/executor/rate_schedule.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"
#include "tests/validate/networks.h"
#include "tests/validate/plain/backend.h"
#include "validate/equivalence/solo.h"
#include "validate/executor/executor.h"

namespace oracle {
namespace rate_schedule_test {

TEST(RateSchedule, WorkedNumbers) {
  const double expected[] = {0.2, 0.4, 0.6, 0.8, 0.8, 0.8};
  for (std::int64_t step = 1; step <= 6; ++step) {
    EXPECT_DOUBLE_EQ(rate_at(0.8, 4, step), expected[step - 1]) << step;
  }
}

TEST(RateSchedule, WithoutAWarmUpItIsWholeFromTheFirstStepOn) {
  EXPECT_EQ(rate_at(0.8, 0, 1), 0.8);
  EXPECT_EQ(rate_at(0.8, 1, 1), 0.8);
}

/// Steps of a warm-up go as far together as half of them and half a step at the whole rate.
TEST(RateSchedule, AWarmUpIsWorthHalfItsSteps) {
  double sum = 0;
  for (std::int64_t step = 1; step <= 100; ++step) sum += rate_at(1, 100, step);
  EXPECT_NEAR(sum, 50.5, 1e-9);
}

/// Of the first layer with weights, behind one step.
std::vector<float> trained(double rate, std::int64_t warm_up) {
  const Graph graph = plain_network();
  const Plan plan = plan_of(graph, "serial", 4);
  const auto backend = plain_backend();
  Solo solo;
  ExecutorOptions options;
  options.optimizer.rate = rate;
  options.rate_warm_up = warm_up;
  Executor executor(graph, plan, *backend, solo, options);
  executor.step(1);
  const Weights& weights = executor.weights(1);
  std::vector<float> values(static_cast<std::size_t>(weights.elements(0)));
  weights.read(0, values.data());
  return values;
}

TEST(RateSchedule, IsWhatWeightsMoveBy) {
  EXPECT_EQ(trained(0.5, 4), trained(0.125, 0));
  EXPECT_NE(trained(0.5, 4), trained(0.5, 0));
}

}  // namespace rate_schedule_test
}  // namespace oracle
