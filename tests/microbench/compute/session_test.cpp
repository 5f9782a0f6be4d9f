#include "microbench/compute/session.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "microbench/compute/copies.h"
#include "microbench/compute/samples_json.h"
#include "oracle/io/calibration/calibration_samples.h"

namespace oracle {
namespace compute_session_test {

SessionPlan brief() {
  SessionPlan plan;
  plan.rule = {3, 0, 10, 1e-9};
  plan.rotation = {1 << 20, 2};
  plan.probe = [] { return 1.0; };  // however busy the machine is that runs the test
  return plan;
}

const std::vector<LayerCase> kCases = {parse_layer_case("add 1:16x16+16x16"),
                                       parse_layer_case("opaque 1:16x4x4"),
                                       parse_layer_case("dense 2:16 features=8")};

TEST(Session, TimesEveryPassInEachRoundAndKeepsFailures) {
  const auto backend = all_backends().front().make(1);
  const SessionResult result = measure(*backend, kCases, brief());
  EXPECT_EQ(result.passes.size(), 3U + 6U);
  EXPECT_EQ(result.passes.front().layer, "add 1:16x16+16x16");  // in the order of the cases
  for (const PassSamples& sample : result.passes) {
    EXPECT_GE(sample.series.values().size(), 6U);  // 3 in each of 2 rounds
  }
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].layer, "opaque 1:16x4x4");
  EXPECT_EQ(result.untimed, 0U);
}

TEST(Session, WhatIsToBeSpreadIsDoneBeforeEachCase) {
  const auto backend = all_backends().front().make(1);
  SessionPlan plan = brief();
  std::vector<double> parts;
  plan.aside = [&](double part) { parts.push_back(part); };
  measure(*backend, kCases, plan);
  EXPECT_EQ(parts.size(), 2 * kCases.size()) << "in each of 2 rounds";
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
  EXPECT_GE(parts.front(), 0);
  EXPECT_LT(parts.back(), 1);
}

TEST(Session, WhatTheTimeDoesNotSufficeForIsCounted) {
  const auto backend = all_backends().front().make(1);
  SessionPlan plan = brief();
  plan.seconds = -1;
  const SessionResult result = measure(*backend, kCases, plan);
  EXPECT_FALSE(result.passes.empty()) << "two are timed anyway";
  EXPECT_EQ(result.untimed, 1U);
}

TEST(Session, KeepsNothingOfARoundInWhichTheProcessorWasSlow) {
  const auto backend = all_backends().front().make(1);
  SessionPlan plan = brief();
  double rate = 1;
  plan.probe = [&] { return rate /= 2; };  // slower each time than was typical till then
  const SessionResult result = measure(*backend, std::span(kCases).first(1), plan);
  EXPECT_TRUE(result.passes.empty());
  EXPECT_GT(result.slow_probes, 0);
  EXPECT_LT(result.slowest, 0.75);
}

TEST(Session, ItsTextIsWhatTheReaderReads) {
  const auto backend = all_backends().front().make(1);
  SessionResult result = measure(*backend, kCases, brief());
  CopyBench copies(2, {3, 0, 10, 1e-9});
  copies.run_up_to(0);
  result.copies = copies.take();
  const std::string text = samples_json({{"device", "a \"processor\""}}, result);
  const CalibrationSamples read = read_calibration_samples(json::parse(text, "s.json"));
  EXPECT_EQ(read.kernels.size(), result.passes.size());
  EXPECT_EQ(context_value(read, "device"), "a \"processor\"");
  ASSERT_EQ(read.copies.size(), 6U) << "five sizes by both, the largest by one";
  EXPECT_EQ(read.copies[0].threads, 1);
  EXPECT_EQ(read.copies[1].threads, 2);
  EXPECT_LT(read.copies[1].bytes, read.copies[5].bytes);
  EXPECT_EQ(read.copies[0].bytes, read.copies[5].bytes);
  for (const CopyRate& copy : read.copies) {
    EXPECT_GT(copy.pack.value, 0);
    EXPECT_GT(copy.unpack.value, 0);
  }
  ASSERT_EQ(read.failures.size(), 1U);
  const double median = result.passes[0].series.median();
  EXPECT_DOUBLE_EQ(read.kernels[0].time.median.value, median);
  EXPECT_DOUBLE_EQ(read.kernels[0].time.mean.value, result.passes[0].series.mean());
}

/// A call of a microsecond is timed by the hundred thousand.
TEST(Session, KeepsAThinSelectionOfManyTimes) {
  SessionResult result;
  PassSamples& sample = result.passes.emplace_back();
  sample.layer = "flatten 4:16x1x1";
  for (int i = 0; i < 100'000; ++i) sample.series.add(i < 50'000 ? 1e-6 : 2e-6);
  const std::string text = samples_json({}, result);
  EXPECT_LT(text.size(), 5000U);
  EXPECT_NE(text.find("\"count\":100000"), std::string::npos);
  EXPECT_NE(text.find("1e-06,2e-06"), std::string::npos);  // in the order of their time
}

}  // namespace compute_session_test
}  // namespace oracle
