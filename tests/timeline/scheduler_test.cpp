#include "oracle/timeline/scheduler.h"

#include <gtest/gtest.h>
#include <random>

#include "tests/plan/tiny_graphs.h"
#include "tests/timeline/hand_made.h"

namespace oracle {
namespace scheduler_test {

/// Forward of 1 s, backward of 2 s, and an exchange after the first second of it.
struct OneExchange {
  explicit OneExchange(double seconds) {
    made.work(Phase::forward, 1);
    made.backward_begins();
    const auto first = made.work(Phase::backward, 1);
    made.work(Phase::backward, 1);
    made.transfer(Phase::exchange, seconds, {first});
    plan.strategy.micro_batches = 1;
    plan.stages = {made.stage};
    prices.stages = {made.prices};
  }
  HandMade made;
  Plan plan;
  Prices prices;
};

TEST(Scheduler, RunsOnlyTheExchangeAgain) {
  const OneExchange three(3), five(5), none(0);
  Scheduler scheduler;
  scheduler.prepare(three.plan, three.prices);
  scheduler.prepare_order(PipelineSchedule::one_f_one_b);
  const auto length = [&](const OneExchange& variant) {
    scheduler.run_exchange(variant.plan, variant.prices, Profile{});
    return scheduler.totals(PipelineSchedule::one_f_one_b).length.value;
  };
  EXPECT_EQ(length(three), 5);
  EXPECT_EQ(length(five), 7);
  EXPECT_EQ(length(none), 3);
  EXPECT_EQ(length(three), 5);
  EXPECT_EQ(scheduler.totals(PipelineSchedule::one_f_one_b).breakdown.exposed_gradient.value, 2);
}

/// Forward computes 1 s and waits 2 s for experts, backward 2 s and 4 s: in pairs 2 s of the former
/// hide behind backward, 1 s of the latter behind forward.
TEST(Scheduler, MessagesOfExpertsHideBehindTheOtherDirection) {
  HandMade made;
  Plan plan;
  made.work(Phase::forward, 1);
  const std::uint32_t there = made.transfer(Phase::forward, 2);
  made.backward_begins();
  const std::uint32_t back = made.transfer(Phase::backward, 4);
  made.work(Phase::backward, 2);
  made.stage.backward_end.items = static_cast<std::uint32_t>(made.stage.items.size());
  plan.stages = {made.stage};
  Prices prices;
  prices.stages = {made.prices};
  plan.strategy.expert_overlap = true;
  for (const std::int64_t m : {1, 3, 1000}) {
    plan.strategy.micro_batches = m;
    plan.stages[0].expert_messages = {there, back};
    const Timeline timeline = schedule(plan, prices, {}, Detail::events);
    const auto pairs = static_cast<double>(m - 1);
    EXPECT_EQ(timeline.length.value, 9 + pairs * (1 + 5));
    EXPECT_EQ(timeline.breakdown.forward.value, 1 + pairs);
    EXPECT_EQ(timeline.breakdown.exposed_activation.value, 6 + pairs * 3);
    EXPECT_EQ(timeline.communication.value, 6 * (pairs + 1));
    EXPECT_EQ(timeline.exposed[there].value, 2);
    EXPECT_EQ(timeline.exposed[back].value, 4 + pairs * 3);
    EXPECT_EQ(timeline.events.back().end, timeline.length);
    plan.stages[0].expert_messages.clear();
    EXPECT_EQ(schedule(plan, prices, {}, Detail::totals).length.value, 9 * (pairs + 1));
  }
}

TEST(Scheduler, KnowsTheLeastLength) {
  const OneExchange none(0);
  Scheduler scheduler;
  scheduler.prepare(none.plan, none.prices);
  scheduler.prepare_order(PipelineSchedule::gpipe);
  const Cost update{Seconds{0.5}};
  EXPECT_EQ(scheduler.least_length(PipelineSchedule::gpipe, {&update, 1}).value, 3.5);
}

TEST(Scheduler, WhatTheLastTurnAddsMovesNothingElse) {
  std::mt19937 random(7);
  const auto draw = [&] { return Seconds{static_cast<double>(random() % 9)}; };
  for (int round = 0; round < 200; ++round) {
    std::vector<StageTimes> stages(1 + random() % 5);
    for (StageTimes& stage : stages) {
      stage = {draw(), draw(), {}, draw(), draw()};
      stage.last_backward = stage.backward + draw();
    }
    const std::int64_t micro_batches = 1 + static_cast<std::int64_t>(random() % 6);
    for (const auto schedule : {PipelineSchedule::one_f_one_b, PipelineSchedule::gpipe}) {
      const PipelineForm form{schedule, static_cast<std::int64_t>(stages.size()), 1, micro_batches};
      const std::vector<Seconds> begins = last_turns(form, stages);
      const PipelineRun run = run_pipeline(form, stages, micro_batches);
      for (std::size_t s = 0; s < stages.size(); ++s) {
        EXPECT_EQ(begins[s] + stages[s].last_backward, run[s].back().end);
      }
      for (StageTimes& stage : stages) stage.last_backward = draw();
      EXPECT_EQ(last_turns(form, stages), begins);
      for (StageTimes& stage : stages) stage.last_backward = stage.backward + draw();
    }
  }
}

TEST(Scheduler, ServesOnePlanAfterTheOther) {
  const Graph graph = dense_chain({64, 24, 64, 24, 48}, true);
  Scheduler scheduler;
  for (const char* strategy : {"data:2,pipeline:3; micro_batches=6", "data:4", "filter:2",
                               "pipeline:2; micro_batches=4; schedule=gpipe"}) {
    const Plan plan = plan_of(graph, strategy, 48);
    const Prices prices = price(graph, plan, flat_cluster(), Profile{});
    scheduler.prepare(plan, prices);
    scheduler.prepare_order(plan.strategy.schedule);
    scheduler.run_exchange(plan, prices, Profile{});
    const Timeline again = scheduler.totals(plan.strategy.schedule);
    const Timeline fresh = schedule(plan, prices, Profile{}, Detail::totals);
    EXPECT_EQ(again.length, fresh.length) << strategy;
    EXPECT_EQ(again.critical_path, fresh.critical_path) << strategy;
    EXPECT_EQ(again.communication, fresh.communication) << strategy;
    EXPECT_EQ(again.slowest_stage, fresh.slowest_stage) << strategy;
  }
}

}  // namespace scheduler_test
}  // namespace oracle
