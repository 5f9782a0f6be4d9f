#include "oracle/record/traced_step.h"

#include <gtest/gtest.h>

#include "tests/record/made_trace.h"

namespace oracle {
namespace traced_step_test {

constexpr double kTiny = 1e-12;
constexpr const char* kReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

double ms(Seconds time) { return time.value * 1e3; }

TEST(TracedStep, PartsAddUpToTheStep) {
  MadeTrace made;
  made.step(0, 11).step(11.5, 22);
  made.kernel("gemm", 0, 6).kernel(kReduce, 4, 9).copy(8, 10).kernel("gemm", 12, 18);
  const TracedStep step = traced_step(made.trace);
  EXPECT_EQ(step.marks, StepMarks::profiler);
  EXPECT_EQ(step.steps, 1U);
  EXPECT_NEAR(ms(step.step), 12, kTiny);
  EXPECT_NEAR(ms(step.compute), 6, kTiny);
  EXPECT_NEAR(ms(step.communication), 5, kTiny);
  EXPECT_NEAR(ms(step.exposed_communication), 3, kTiny);
  EXPECT_NEAR(ms(step.copies), 2, kTiny);
  EXPECT_NEAR(ms(step.exposed_copies), 1, kTiny);
  EXPECT_NEAR(ms(step.idle), 2, kTiny);
}

TEST(TracedStep, WhatTheHostDoesAheadMovesNoBoundary) {
  // The host is through with both steps before the GPU has begun the second.
  MadeTrace made;
  made.step(0, 1).step(1, 2).step(2, 3);
  made.launched("gemm", 0.5, 1, 9).launched("gemm", 1.5, 10, 19).launched("gemm", 2.5, 20, 29);
  const TracedStep step = traced_step(made.trace);
  EXPECT_EQ(step.steps, 2U);
  EXPECT_NEAR(ms(step.step), 9.5, kTiny);
  EXPECT_NEAR(ms(step.compute), 8.5, kTiny);
  EXPECT_NEAR(ms(step.low), 9.1, kTiny);
  EXPECT_NEAR(ms(step.high), 9.9, kTiny);
}

TEST(TracedStep, AKernelAcrossABoundaryCountsOnBothSides) {
  MadeTrace made;
  made.step(0, 10).step(10, 20).step(20, 30);
  made.launched(kReduce, 1, 2, 13).kernel("gemm", 10, 12).kernel("gemm", 20, 21);
  const TracedStep step = traced_step(made.trace);
  EXPECT_EQ(step.steps, 2U);
  EXPECT_NEAR(ms(step.step), 9, kTiny);  // 2 to 10, 10 to 20
  EXPECT_NEAR(ms(step.communication), (8 + 3) / 2.0, kTiny);
  EXPECT_NEAR(ms(step.exposed_communication), (8 + 1) / 2.0, kTiny);
}

TEST(TracedStep, OneMarkEndsWithWhatItLaunched) {
  MadeTrace made;
  made.step(0, 10).launched("gemm", 9, 11, 14).launched("gemm", 15, 16, 20);
  const TracedStep step = traced_step(made.trace);
  EXPECT_NEAR(ms(step.step), 14, kTiny);
  EXPECT_NEAR(ms(step.compute), 3, kTiny);
}

TEST(TracedStep, WithoutMarksOfTheProfilerTheOptimizersCount) {
  MadeTrace made;
  made.update(8, 9).update(18, 19);
  made.kernel("gemm", 1, 8).kernel("sgd", 8.5, 9).kernel("gemm", 11, 18).kernel("sgd", 18.5, 19);
  const TracedStep step = traced_step(made.trace);
  EXPECT_EQ(step.marks, StepMarks::optimizer);
  EXPECT_NEAR(ms(step.step), 10, kTiny);
  EXPECT_NEAR(ms(step.of(KernelClass::optimizer).time), 0.5, kTiny);
  EXPECT_NEAR(ms(step.of(KernelClass::product).time), 7, kTiny);
}

TEST(TracedStep, WithoutMarksTheRepetitionCounts) {
  MadeTrace made;
  for (int i = 0; i < 3; ++i) {
    made.kernel("gemm", 10 * i, 10 * i + 3).kernel("gemm", 10 * i + 3, 10 * i + 4);
    made.kernel("softmax", 10 * i + 5, 10 * i + 6);
  }
  const TracedStep step = traced_step(made.trace);
  EXPECT_EQ(step.marks, StepMarks::repetition);
  EXPECT_EQ(step.steps, 2U);
  EXPECT_NEAR(ms(step.step), 10, kTiny);
  EXPECT_NEAR(step.of(KernelClass::product).count, 2, kTiny);
}

TEST(TracedStep, ElseTheWholeRecordingIsOneStep) {
  MadeTrace made;
  made.kernel("gemm", 3, 5).kernel("softmax", 6, 7).kernel("strange", 7, 11);
  const TracedStep step = traced_step(made.trace);
  EXPECT_EQ(step.marks, StepMarks::none);
  EXPECT_NEAR(ms(step.step), 8, kTiny);
  ASSERT_EQ(step.unknown.size(), 1U);
  EXPECT_EQ(step.unknown[0].name, "strange");
  EXPECT_NEAR(ms(step.unknown[0].of.time), 4, kTiny);
}

TEST(TracedStep, CollectivesByNameLongestFirst) {
  MadeTrace made;
  made.kernel(kReduce, 0, 1).kernel("ncclKernel_AllGather_RING_LL_Sum_int8_t", 1, 4);
  made.kernel("ncclDevKernel_SendRecv", 4, 6).kernel("ncclDevKernel_Generic", 6, 6.5);
  const TracedStep step = traced_step(made.trace);
  ASSERT_EQ(step.collectives.size(), 4U);
  EXPECT_EQ(step.collectives[0].name, "all_gather");
  EXPECT_EQ(step.collectives[1].name, "send_receive");
  EXPECT_EQ(step.collectives[2].name, "all_reduce");
  EXPECT_EQ(step.collectives[3].name, "other");
}

}  // namespace traced_step_test
}  // namespace oracle
