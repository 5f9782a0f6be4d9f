#include "oracle/budget/run_cost.h"

#include <cmath>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace run_cost_test {

const Cost kStep{Seconds{0.1}, Source::assumed, 0.3};

TrainingLength epochs(double amount, std::int64_t samples) { return {samples, amount}; }

TEST(TrainingLength, AnEpochsLastBatchIsAStep) {
  const TrainingLength length = epochs(90, 1281167);
  // 1,281,167 / 1,024 = 1,251.1: an epoch has 1,252 steps.
  EXPECT_EQ(steps_of(length, data_at(length, 1024), 1024), 90 * 1252);
}

TEST(TrainingLength, SamplesFillTheirSteps) {
  const TrainingLength length{0, 1000.0};
  EXPECT_EQ(steps_of(length, data_at(length, 64), 64), 16);
}

TEST(TrainingLength, ALawSaysWhatABatchNeeds) {
  ConvergenceLaw law;
  law.least = 10;
  law.slope = 0.01;
  law.first = 100;
  law.last = 1000;
  law.uncertainty = 0.05;
  const TrainingLength length{10000, law};
  const DataToTarget data = data_at(length, 1000);
  EXPECT_EQ(data.amount, 20);
  EXPECT_EQ(data.uncertainty, 0.05);
  EXPECT_EQ(steps_of(length, data, 1000), 200);
}

TEST(TrainingLength, MoreStepsThanCanBeCountedAreRefused) {
  const TrainingLength length{0, 1e18};
  EXPECT_THROW(static_cast<void>(steps_of(length, data_at(length, 1), 1)), InputError);
}

TEST(RunCost, IsTheWorkedOne) {
  const TrainingLength length = epochs(35, 1281167);
  const std::int64_t steps = steps_of(length, data_at(length, 1024), 1024);
  const RunCost run = run_cost(steps, kStep, 0, 8, 0.9, {2.5, 300, 1});
  EXPECT_EQ(run.steps, 43820);
  EXPECT_NEAR(run.time.time.value / 3600, 1.217, 0.001);
  EXPECT_NEAR(run.device_hours, 9.738, 0.001);
  EXPECT_NEAR(run.dollars.value(), 24.34, 0.01);
  EXPECT_NEAR(run.kilowatt_hours.value(), 2.054, 0.001);
}

TEST(RunCost, IndependentErrorsAddAsRootsOfSquares) {
  const RunCost run = run_cost(1000, kStep, 0.4, 8, 1, {0, 300, 1});
  EXPECT_NEAR(run.time.uncertainty, 0.5, 1e-12);
  EXPECT_NEAR(run.energy_uncertainty, std::hypot(0.5, kPowerUncertainty), 1e-12);
  EXPECT_EQ(run.parts.step, 0.3);
  EXPECT_EQ(run.parts.data, 0.4);
}

TEST(RunCost, ADeviceThatWaitsDrawsItsIdlePower) {
  // An hour of one device of 1 kW: what computes draws four times what waits.
  const Cost hour{Seconds{3600}, Source::assumed, 0};
  EXPECT_NEAR(run_cost(1, hour, 0, 1, 0, {0, 1000, 1}).kilowatt_hours.value(), 0.19, 1e-12);
  EXPECT_NEAR(run_cost(1, hour, 0, 1, 1, {0, 1000, 1}).kilowatt_hours.value(), 0.76, 1e-12);
  EXPECT_NEAR(run_cost(1, hour, 0, 1, 1, {0, 1000, 1.5}).kilowatt_hours.value(), 1.14, 1e-12);
}

TEST(RunCost, WhatIsNotKnownIsNotSaid) {
  const RunCost run = run_cost(1000, kStep, 0, 8, 1, {});
  EXPECT_FALSE(run.dollars);
  EXPECT_FALSE(run.kilowatt_hours);
}

}  // namespace run_cost_test
}  // namespace oracle
