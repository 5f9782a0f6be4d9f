#include "oracle/accuracy/step_comparison.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace step_comparison_test {

/// A device that holds `memory`, 100 MB of it reserved, and does not compute in fp16.
Cluster one_device(double memory) {
  Cluster cluster;
  cluster.id = "one";
  cluster.levels = {{"device", 1, {"", Bandwidth{1e9}, Bandwidth{1e9}, Seconds{1e-6}}}};
  Device& device = cluster.device;
  device.peak[static_cast<std::size_t>(DataType::fp32)] = FlopRate{1e13};
  device.memory = Bytes{memory};
  device.memory_bandwidth = Bandwidth{1e12};
  device.multiprocessors = 100;
  device.launch_overhead = Seconds{4e-6};
  device.reserved = Bytes{100e6};
  return cluster;
}

Graph one_dense_layer() {
  GraphBuilder builder("dense");
  Shape input;
  input[Axis::channel] = 4096;
  const LayerId first = builder.input(input);
  const LayerId dense =
      builder.add("fc", "dense", {first}, {{"features", std::int64_t{4096}}, {"bias", false}});
  builder.add("loss", "mean_squared_loss", {dense});
  return builder.finish();
}

MeasuredStep step_of(std::optional<Seconds> time, std::optional<Bytes> peak) {
  MeasuredStep step;
  step.training.batch = 32;
  step.training.optimizer = optimizer_named("sgd");
  step.time = time;
  step.peak = peak;
  return step;
}

StepComparison compare(const Cluster& cluster, const MeasuredStep& step) {
  return std::get<StepComparison>(compare_step(one_dense_layer(), cluster, {}, step));
}

TEST(StepComparison, WorkedNumber) {
  const double gib = 1024.0 * 1024 * 1024;
  const MemoryComparison memory{Bytes{1.10 * gib - 0.10 * gib}, Bytes{0.80 * gib}};
  EXPECT_NEAR(memory.signed_error(), 0.25, 1e-12);
}

TEST(StepComparison, TimeIsThatOfTheSerialEvaluation) {
  const Cluster cluster = one_device(1e9);
  const MeasuredStep step = step_of(Seconds{1e-3}, std::nullopt);
  const StepComparison comparison = compare(cluster, step);
  const Evaluation evaluation =
      evaluate(one_dense_layer(), cluster, {}, parse_strategy("serial"), step.training);
  ASSERT_TRUE(comparison.time);
  EXPECT_EQ(comparison.time->predicted, evaluation.fits()->step);
  EXPECT_EQ(comparison.time->measured, Seconds{1e-3});
  EXPECT_FALSE(comparison.memory);
  EXPECT_TRUE(comparison.agrees());
}

/// 4096² weights and their gradients, 67.1 MB each, and less than 3 MB beside them.
TEST(StepComparison, MemoryIsWithoutWhatIsReserved) {
  const StepComparison comparison = compare(one_device(1e9), step_of(Seconds{1}, Bytes{100e6}));
  ASSERT_TRUE(comparison.memory);
  const double weights = 2 * 4096.0 * 4096 * 4;
  EXPECT_GE(comparison.memory->predicted, Bytes{weights});
  EXPECT_LE(comparison.memory->predicted, Bytes{weights + 3e6});
  EXPECT_EQ(comparison.needed, comparison.memory->predicted + Bytes{100e6});
  EXPECT_EQ(comparison.available, Bytes{1e9});
  EXPECT_NEAR(comparison.memory->signed_error(), 0.36, 0.03);
}

TEST(StepComparison, VerdictsAreComparedBothWays) {
  const MeasuredStep ran = step_of(Seconds{1}, Bytes{100e6});
  const MeasuredStep ran_out = step_of(std::nullopt, std::nullopt);
  const StepComparison missed = compare(one_device(1e9), ran_out);
  EXPECT_FALSE(missed.agrees());
  EXPECT_TRUE(missed.fits_predicted);
  EXPECT_FALSE(missed.time);
  const StepComparison feared = compare(one_device(200e6), ran);
  EXPECT_FALSE(feared.agrees());
  EXPECT_FALSE(feared.fits_predicted);
  EXPECT_FALSE(feared.time);
  EXPECT_TRUE(feared.memory);
  EXPECT_TRUE(compare(one_device(200e6), ran_out).agrees());
}

TEST(StepComparison, EachErrorIsJudgedOverTheStepsThatHaveIt) {
  const auto step = [](double predicted, double measured, double memory) {
    StepComparison out;
    out.time = Comparison{{Seconds{predicted}, Source::assumed, 0.2}, Seconds{measured}};
    if (memory > 0) out.memory = MemoryComparison{Bytes{memory}, Bytes{100}};
    return out;
  };
  std::vector<StepComparison> steps = {step(1.1, 1, 90), step(1.5, 1, 0), step(0.9, 1, 80)};
  steps.push_back({});
  steps.back().fits_measured = false;
  const StepAccuracy accuracy = judge_steps(steps);
  EXPECT_EQ(accuracy.time.count, 3U);
  EXPECT_NEAR(accuracy.time.bias, 0.5 / 3, 1e-12);
  EXPECT_NEAR(accuracy.time.worst, 0.5, 1e-12);
  EXPECT_NEAR(accuracy.time.coverage, 2.0 / 3, 1e-12);
  EXPECT_EQ(accuracy.memory.count, 2U);
  EXPECT_NEAR(accuracy.memory.median, 0.15, 1e-12);
  EXPECT_NEAR(accuracy.memory.bias, -0.15, 1e-12);
  EXPECT_EQ(accuracy.verdicts, 4U);
  EXPECT_EQ(accuracy.agreed, 3U);
}

TEST(StepComparison, AFormatThatTheDeviceLacksIsNoComparison) {
  MeasuredStep step = step_of(Seconds{1}, std::nullopt);
  step.training.precision = precision_named("fp16");
  const auto answer = compare_step(one_dense_layer(), one_device(1e9), {}, step);
  ASSERT_TRUE(std::holds_alternative<Infeasible>(answer));
  EXPECT_EQ(std::get<Infeasible>(answer).constraint, Constraint::number_format);
}

}  // namespace step_comparison_test
}  // namespace oracle
