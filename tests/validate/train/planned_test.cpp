#include "validate/train/planned.h"

#include <gtest/gtest.h>
#include <numeric>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace planned_test {

double sum_of(const std::vector<double>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), 0.0);
}

TEST(PlannedBytes, TheExchangeIsOnceAStep) {
  const Graph graph = dense_chain({8, 4, 2});
  const Plan plan = plan_of(graph, "data:2; micro_batches=2", 4);
  EXPECT_EQ(sum_of(planned_bytes(graph, plan, 0)), 4 * (8 * 4 + 4 * 2));  // 2(n−1)/n·S
}

TEST(PlannedBytes, ForwardAndBackwardAreOncePerMicroBatch) {
  // The gathers of 4 and 2 features and the scattered sum of the gradient of 4, of 4 samples in two
  // goes.
  const Graph graph = dense_chain({8, 4, 2});
  const Plan plan = plan_of(graph, "filter:2; micro_batches=2", 4);
  EXPECT_EQ(sum_of(planned_bytes(graph, plan, 0)), 4 * 4 * (4 / 2 + 2 / 2 + 4 / 2));
}

TEST(PlannedBytes, EachMicroBatchCountsWithItsOwnSize) {
  // 7 samples in micro-batches of 2, 2 and 3, where one of as many as the largest would be 9.
  const Graph graph = dense_chain({8, 4, 2});
  const Plan plan = plan_of(graph, "filter:2; micro_batches=3", 7);
  EXPECT_EQ(sum_of(planned_bytes(graph, plan, 0)), 7 * 4 * (4 / 2 + 2 / 2 + 4 / 2));
}

TEST(PlannedBytes, MessagesToOtherStagesComeLast) {
  const Graph graph = dense_chain({8, 4, 2});
  const Plan plan = plan_of(graph, "pipeline:2; micro_batches=2", 4);
  for (const std::size_t stage : {0U, 1U}) {
    const std::vector<Item> items = measured_items(plan, stage);
    ASSERT_EQ(items.size(), plan.stages[stage].items.size() + 1);
    EXPECT_EQ(std::get<Transfer>(items.back().what).collective, Collective::send_receive);
    EXPECT_EQ(items.back().phase, stage == 0 ? Phase::forward : Phase::backward);
    const std::vector<double> bytes = planned_bytes(graph, plan, stage);
    EXPECT_EQ(sum_of(bytes), bytes.back());
    const Transfer& message =
        stage == 0 ? plan.stages[0].to_next.front() : plan.stages[0].from_next.front();
    EXPECT_EQ(bytes.back(), 2 * message.bytes.value);
  }
}

}  // namespace planned_test
}  // namespace oracle
