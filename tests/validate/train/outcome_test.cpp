#include "validate/train/outcome.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"
#include "validate/train/planned.h"

namespace oracle {
namespace outcome_test {

RankRecord record(const Plan& plan, int rank, double loss, double bytes) {
  RankRecord made;
  made.rank = rank;
  made.stages = {{0, 0, 0}};
  made.losses = {loss, loss / 2};
  made.step_seconds = {rank == 0 ? 1.0 : 2.0, 1.5};
  made.speeds = {rank == 0 ? 8e8 : 6e8, 7e8};
  made.input_seconds = {rank == 0 ? 0.5 : 0.25, 0.125};
  made.input = {100, rank == 0 ? 2.0 : 4.0};
  made.item_seconds.assign(plan.stages[0].items.size(), 0.25);
  made.item_bytes.assign(plan.stages[0].items.size(), 0);
  made.item_bytes[0] = bytes;
  made.counted_bytes = static_cast<std::int64_t>(bytes);
  made.peak_memory = 100 * (rank + 1);
  return made;
}

TEST(Outcome, AddsLossesAndTakesTheSlowestAndTheHungriest) {
  const Graph graph = dense_chain({8, 4, 2});
  const Plan plan = plan_of(graph, "filter:2", 4);
  const std::vector<RankRecord> records = {record(plan, 0, 1, 64), record(plan, 1, 2, 32)};
  const Outcome outcome = outcome_of(graph, plan, flat_cluster(), records);
  EXPECT_EQ(outcome.losses, (std::vector<double>{3, 1.5}));
  EXPECT_EQ(outcome.step_seconds, (std::vector<double>{2, 1.5}));
  EXPECT_EQ(outcome.speeds, (std::vector<double>{6e8, 7e8}));
  EXPECT_EQ(outcome.input_seconds, (std::vector<double>{0.5, 0.125}));
  EXPECT_EQ(outcome.images_per_worker_second, 25);
  EXPECT_EQ(outcome.sent_bytes, 96);
  EXPECT_EQ(outcome.item_bytes, 96);
  EXPECT_EQ(outcome.items[0].sent_bytes, 64);
  EXPECT_EQ(outcome.peak_memory, 200);
  EXPECT_FALSE(outcome.check.has_value());
}

/// Ranks of which one computes 0.25 s an item and waits 3, the other 0.5 and 1: seconds of an item
/// that computes, and of one that waits.
std::pair<double, double> seconds_of_items(std::int64_t values, std::int64_t others) {
  const Graph graph = dense_chain({8, 4, 2});
  const Plan plan = plan_of(graph, "filter:2", 4);
  std::vector<RankRecord> records = {record(plan, 0, 1, 0), record(plan, 1, 2, 0)};
  records[0].stages[0].values = values;
  records[1].stages[0].values = others;
  const std::vector<Item> items = measured_items(plan, 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool computes = std::holds_alternative<Work>(items[i].what);
    records[0].item_seconds[i] = computes ? 0.25 : 3;
    records[1].item_seconds[i] = computes ? 0.5 : 1;
  }
  std::pair<double, double> found;
  for (const ItemOutcome& ran : outcome_of(graph, plan, flat_cluster(), records).items) {
    (std::holds_alternative<Work>(ran.item.what) ? found.first : found.second) = ran.seconds;
  }
  return found;
}

TEST(Outcome, ItemsAreTheMeanOfRanksThatHoldAsMuch) {
  EXPECT_EQ(seconds_of_items(100, 100), std::pair(0.375, 2.0));
}

/// The others wait for them longer than for any message.
TEST(Outcome, ItemsAreThoseOfTheLargestPieces) {
  EXPECT_EQ(seconds_of_items(100, 99), std::pair(0.25, 3.0));
  EXPECT_EQ(seconds_of_items(99, 100), std::pair(0.5, 1.0));
}

/// Stages 0 and 2 on one rank, 1 and 3 on the other; an item of stage s takes s + 1 seconds.
TEST(Outcome, ItemsOfARankAreThoseOfItsStages) {
  const Graph graph = dense_chain({8, 4, 8, 4, 2});
  const Plan plan = plan_of(graph, "pipeline:2; chunks=2; micro_batches=2", 4);
  std::vector<RankRecord> records = {record(plan, 0, 1, 0), record(plan, 1, 2, 0)};
  for (RankRecord& of : records) {
    of.stages.clear();
    of.item_seconds.clear();
    for (auto s = static_cast<std::size_t>(of.rank); s < 4; s += 2) {
      of.stages.push_back({s, of.item_seconds.size(), 1});
      of.item_seconds.resize(of.item_seconds.size() + measured_items(plan, s).size(),
                             static_cast<double>(s + 1));
    }
    of.item_bytes = of.item_seconds;
  }
  const Outcome outcome = outcome_of(graph, plan, flat_cluster(), records);
  std::size_t last = 0;
  for (const ItemOutcome& ran : outcome.items) {
    EXPECT_EQ(ran.seconds, static_cast<double>(ran.stage) + 1) << ran.name;
    EXPECT_EQ(ran.sent_bytes, ran.seconds) << ran.name;
    last = ran.stage;
  }
  EXPECT_EQ(last, 3U);
}

/// They alone tell the time of a step.
TEST(Outcome, ReplayedStepsAreTheLast) {
  const Graph graph = dense_chain({8, 4, 2});
  const Plan plan = plan_of(graph, "serial", 4);
  RankRecord replayed = record(plan, 0, 1, 0);
  EXPECT_EQ(untimed_steps(outcome_of(graph, plan, flat_cluster(), std::vector{replayed}), 0), 0);
  replayed.replayed_steps = 1;
  replayed.input_seconds = {0.5};
  const Outcome outcome = outcome_of(graph, plan, flat_cluster(), std::vector{replayed});
  EXPECT_EQ(outcome.replayed_steps, 1);
  EXPECT_EQ(untimed_steps(outcome, 0), 1);
  EXPECT_EQ(outcome.input_seconds, std::vector<double>{0.5});
}

TEST(Outcome, WhatIsBesideThePlanIsCounted) {
  const Graph graph = dense_chain({8, 4, 2});
  const Plan plan = plan_of(graph, "filter:2", 4);
  RankRecord exact = record(plan, 0, 1, 0);
  exact.item_bytes = planned_bytes(graph, plan, 0);
  std::vector<RankRecord> records = {exact};
  EXPECT_EQ(outcome_of(graph, plan, flat_cluster(), records).unplanned_bytes, 0);
  records[0].item_bytes[0] += 8;
  records[0].item_bytes[1] += 4;
  EXPECT_EQ(outcome_of(graph, plan, flat_cluster(), records).unplanned_bytes, 12);
}

}  // namespace outcome_test
}  // namespace oracle
