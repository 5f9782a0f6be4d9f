#include "validate/record/rank_record.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace oracle {
namespace rank_record_test {

/// Of one item.
std::vector<StepRecord> steps_of(const std::vector<double>& seconds,
                                 const std::vector<double>& item) {
  std::vector<StepRecord> steps(seconds.size());
  for (std::size_t s = 0; s < steps.size(); ++s) {
    steps[s].seconds = seconds[s];
    steps[s].item_seconds = {item[s]};
  }
  return steps;
}

TEST(RankRecord, WorkedNumber) {
  const std::vector<StepRecord> steps = steps_of({10, 11, 12, 99}, {1, 2, 6, 90});
  EXPECT_EQ(summarize(0, {}, steps, 0).item_seconds, std::vector<double>{4});
}

TEST(RankRecord, WhatIsDoneInOneStepOfAPeriodCountsInEach) {
  std::vector<StepRecord> steps = steps_of({5, 1, 3, 2, 4, 9}, {0, 0, 2, 0, 2, 7});
  for (std::size_t s = 0; s < steps.size(); ++s) {
    steps[s].item_bytes = {s % 2 == 0 ? 80.0 : 0.0};
    steps[s].bytes = s % 2 == 0 ? 80 : 0;
  }
  const std::vector<StepRecord> spread = over_periods(steps, 2, 1);
  std::vector<double> seconds, items, bytes;
  for (const StepRecord& step : spread) {
    seconds.push_back(step.seconds);
    items.push_back(step.item_seconds.front());
    bytes.push_back(step.item_bytes.front());
  }
  EXPECT_EQ(seconds, (std::vector<double>{5, 2, 2, 3, 3, 3}));
  EXPECT_EQ(items, (std::vector<double>{0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(bytes, (std::vector<double>{80, 40, 40, 40, 40, 40}));
  EXPECT_EQ(spread.back().bytes, 40);
  EXPECT_EQ(over_periods(steps, 1, 1)[1].seconds, 1) << "a period of one step is as it was";
}

/// An item is interrupted in one step of two, another in the others.
TEST(RankRecord, ItemsAddUpToTheStep) {
  std::vector<StepRecord> steps(8);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    steps[s].item_seconds = s % 2 == 0 ? std::vector<double>{1, 5} : std::vector<double>{5, 1};
    steps[s].seconds = 6;
  }
  EXPECT_EQ(summarize(0, {}, steps, 0).item_seconds, (std::vector<double>{3, 3}));
}

TEST(RankRecord, SummarizesSteps) {
  std::vector<StepRecord> steps(3);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    steps[s].loss = 3.0 - static_cast<double>(s);
    steps[s].item_seconds = {1.0 + static_cast<double>(s)};
    steps[s].item_bytes = {64};
    steps[s].speed = 5.0 + static_cast<double>(s);
    steps[s].peak_memory = s == 1 ? 7 : 5;
    steps[s].skipped = s == 1;
    steps[s].scale_seconds = 0.5 * static_cast<double>(s);
    steps[s].loss_scale = s == 2 ? 512 : 1024;
    steps[s].squares = {2.0 + static_cast<double>(s), 1.0, 4, 0.25 * static_cast<double>(s)};
  }
  const RankRecord record = summarize(2, {{1, 0, 9}, {3, 1, 5}}, steps, 0);
  EXPECT_EQ(record.losses, (std::vector<double>{3, 2, 1}));
  EXPECT_EQ(record.item_seconds, std::vector<double>{2});
  EXPECT_EQ(record.speeds, (std::vector<double>{5, 6, 7}));
  EXPECT_EQ(record.peak_memory, 7);
  EXPECT_EQ(record.skipped_steps, 1);
  EXPECT_EQ(record.loss_scale, 512);
  EXPECT_EQ(record.scale_seconds, 0.5);
  EXPECT_EQ(record.stages, (std::vector<RankStage>{{1, 0, 9}, {3, 1, 5}}));
  EXPECT_EQ(record.part_squares, (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(record.whole_squares, (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(record.part_samples, 4);
  EXPECT_EQ(record.squares_seconds, 0.25);
}

TEST(RankRecord, StepsThatWarmUpAreNotTimed) {
  const std::vector<double> seconds = {90, 80, 1, 3};
  const std::vector<StepRecord> steps = steps_of(seconds, seconds);
  EXPECT_EQ(summarize(0, {}, steps, 2).item_seconds, std::vector<double>{2});
  EXPECT_EQ(summarize(0, {}, steps, 2).step_seconds, seconds);
  EXPECT_EQ(summarize(0, {}, steps, 0).item_seconds, std::vector<double>{41.5});
  EXPECT_EQ(median_after(seconds, 3), 3);
}

TEST(RankRecord, ItemsAndInputAreTimedInStepsThatWereNotReplayed) {
  std::vector<StepRecord> steps(5);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    steps[s].replayed = s >= 3;
    steps[s].seconds = 1;
    if (!steps[s].replayed) steps[s].item_seconds = {static_cast<double>(s)};
    steps[s].input_seconds = steps[s].replayed ? 0 : 0.5;
  }
  const RankRecord record = summarize(0, {}, steps, 1);
  EXPECT_EQ(record.replayed_steps, 2);
  EXPECT_EQ(record.item_seconds, std::vector<double>{1.5});
  EXPECT_EQ(record.input_seconds, std::vector<double>(3, 0.5));
  EXPECT_EQ(record.step_seconds.size(), 5U);
}

TEST(RankRecord, ALossMayLeaveTheNumbers) {
  RankRecord record;
  record.losses = {2.5, std::numeric_limits<double>::infinity(), std::nan("")};
  const RankRecord read = parse_record(to_text(record));
  ASSERT_EQ(read.losses.size(), 3U);
  EXPECT_EQ(read.losses.front(), 2.5);
  EXPECT_TRUE(std::isnan(read.losses[1]) && std::isnan(read.losses[2]));
}

TEST(RankRecord, SurvivesItsText) {
  RankRecord record;
  record.rank = 3;
  record.stages = {{1, 0, 1LL << 33}, {3, 20, 7}};
  record.losses = {0.1, 1.0 / 3};
  record.item_bytes = {1, 2};
  record.counted_bytes = 1LL << 40;
  record.speeds = {8e8, 7e8};
  record.skipped_steps = 2;
  record.replayed_steps = 5;
  record.loss_scale = 8192;
  record.scale_seconds = 0.125;
  record.choices = {{"a", Pass::backward_data, "convolve", "1 to 2", 3, 1 << 20, 0.25, false},
                    {"b", Pass::forward, "multiply", "2 by 2", 7, 512}};
  record.input_seconds = {0.25, 0.5};
  record.input = {7, 1.5};
  record.part_squares = {2, 3};
  record.whole_squares = {1, 1.5};
  record.part_samples = 4;
  record.squares_seconds = 0.0625;
  record.checkpoints = {1200, {0.25, 0.125}, {0.5}};
  record.differences = {"1 0 0x1p-3 0x1p0\n"};
  EXPECT_EQ(parse_record(to_text(record)), record);
}

}  // namespace rank_record_test
}  // namespace oracle
