#include "oracle/record/trace_comparison.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/record/made_trace.h"

namespace oracle {
namespace trace_comparison_test {

constexpr const char* kReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

Prediction predicted() {
  Prediction made;
  made.asked.ranks = 4;
  made.step = {Seconds{0.008}, Source::assumed, 0.1};
  made.stage = 0;
  made.parts = {0.003, 0.003, 0.001, 0, 0.001, 0};
  made.memory = 8e9;
  made.layers = {{0, "fc", "4×10", 0.001, 0.002, 0.002, "dense"},
                 {0, "relu", "4×10", 0.0005, 0.0005, 0, "activation"},
                 {1, "other stage", "4×10", 1, 1, 1, "dense"}};
  TransferSeconds transfer;
  transfer.collective = "all_reduce";
  transfer.seconds = 0.0025;
  transfer.exposed = 0.001;
  made.transfers = {transfer};
  return made;
}

Trace recorded() {
  MadeTrace made;
  made.step(0, 10).step(10, 20).update(7, 8);
  made.kernel("gemm", 0, 5).kernel(kReduce, 4, 7).kernel("sgd", 7, 8).kernel("gemm", 10, 11);
  made.trace.ranks = 4;
  made.trace.most_allocated = Bytes{10e9};
  return made.trace;
}

TEST(TraceComparison, SidesOfOneStep) {
  const TraceComparison out = compare(predicted(), recorded(), "trace.json");
  EXPECT_NEAR(out.signed_error(), -0.2, 1e-12);
  EXPECT_NEAR(out.outside().value, 0.0012, 1e-12);
  EXPECT_NEAR(*out.compute.predicted, 0.007, 1e-12);
  EXPECT_NEAR(*out.compute.measured, 0.006, 1e-12);
  EXPECT_NEAR(*out.exposed_communication.signed_error(), -0.5, 1e-9);
  EXPECT_NEAR(*out.communication.predicted, 0.0025, 1e-12);
  EXPECT_NEAR(*out.communication.measured, 0.003, 1e-12);
  EXPECT_NEAR(*out.idle.measured, 0.002, 1e-12);
  EXPECT_NEAR(*out.allocated.signed_error(), -0.2, 1e-12);
  EXPECT_FALSE(out.reserved.measured.has_value());
}

TEST(TraceComparison, ClassesAreThoseOfTheStageThatLimits) {
  const TraceComparison out = compare(predicted(), recorded(), "trace.json");
  ASSERT_EQ(out.classes.size(), 3U);
  EXPECT_EQ(out.classes[0].of, KernelClass::product);
  EXPECT_NEAR(*out.classes[0].seconds.signed_error(), 0, 1e-9);
  EXPECT_EQ(out.classes[1].of, KernelClass::elementwise);
  EXPECT_NEAR(*out.classes[1].seconds.predicted, 0.001, 1e-12);
  EXPECT_EQ(out.classes[1].seconds.measured, 0);
  EXPECT_EQ(out.classes[2].of, KernelClass::optimizer);
  ASSERT_EQ(out.collectives.size(), 1U);
  EXPECT_NEAR(*out.collectives[0].seconds.predicted, 0.0025, 1e-12);
  EXPECT_EQ(out.collectives[0].calls, 1);
}

TEST(TraceComparison, AnotherNumberOfRanksIsRefused) {
  Prediction of_eight = predicted();
  of_eight.asked.ranks = 8;
  try {
    compare(of_eight, recorded(), "trace.json");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "trace.json: is of rank 0 of 4, and 8 ranks were predicted; estimate the strategy "
                 "that ran, on as many GPUs");
  }
}

TEST(TraceComparison, WhatTheTraceDoesNotSayIsSaid) {
  Trace trace = recorded();
  trace.steps.clear();
  trace.updates.clear();
  trace.ranks = 0;
  trace.names[2] = "strange";
  std::string notes;
  for (const std::string& note : compare(predicted(), trace, "t").notes) notes += note + "\n";
  for (const char* said :
       {"does not name its network, batch and precision", "has no ProfilerStep annotations",
        "of how many ranks it is one: taken for 4", "wait for other ranks",
        "not known of 100 % of the kernels",
        "1 kernels of no known class take 10 % of all kernels' time: strange"}) {
    EXPECT_NE(notes.find(said), std::string::npos) << said << "\n" << notes;
  }
}

}  // namespace trace_comparison_test
}  // namespace oracle
