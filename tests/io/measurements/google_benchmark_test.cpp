#include "oracle/io/measurements/google_benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/measurements/files.h"

namespace oracle {
namespace google_benchmark_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(GoogleBenchmark, RunsCountAndWhatSumsThemUpDoesNot) {
  const Measurements read = read_kept("google_benchmark_repetitions.json");
  EXPECT_EQ(read.format, "Google Benchmark");
  ASSERT_EQ(read.benchmarks.size(), 2U);
  EXPECT_THAT(read.refused, ElementsAre(Pair("that sum up others", 3U)));
  EXPECT_EQ(read.benchmarks[1].name, "MyBenchmark");
  EXPECT_DOUBLE_EQ(read.benchmarks[1].real.value, 1.7143936117703272e-3);
  EXPECT_EQ(read.benchmarks[1].iterations, 402);
}

TEST(GoogleBenchmark, BareNaNsAreMissingAndFailuresAreNoZeros) {
  const Measurements read = read_kept("google_benchmark_failed_and_missing.json");
  ASSERT_EQ(read.benchmarks.size(), 1U);
  EXPECT_THAT(read.refused, ElementsAre(Pair("that failed", 1U), Pair("without a time", 1U)));
  EXPECT_DOUBLE_EQ(read.benchmarks[0].real.value, 1.25e-6);
  EXPECT_FALSE(read.benchmarks[0].cpu.has_value());
}

TEST(GoogleBenchmark, AMedianCountsWhereItsRunsWereLeftOut) {
  const Measurements read = read_kept("google_benchmark_aggregates_only.json");
  ASSERT_EQ(read.benchmarks.size(), 1U);
  EXPECT_DOUBLE_EQ(read.benchmarks[0].real.value, 12.25e-3);
  EXPECT_EQ(read.benchmarks[0].name, "gemm/64");
  EXPECT_EQ(refused(read), 3U);
}

TEST(GoogleBenchmark, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_THAT(refusal(R"({"benchmarks": 1})"), HasSubstr("some.log:1:/benchmarks"));
  EXPECT_THAT(refusal("{\"benchmarks\": [NaN, {\"real_time\": 1, \"time_unit\": \"h\"}]}"),
              HasSubstr("1 in a unit of time that is not known; 1 without a time"));
  EXPECT_THAT(refusal("{\"benchmarks\": ["), HasSubstr("some.log:1"));
}

}  // namespace google_benchmark_test
}  // namespace oracle
