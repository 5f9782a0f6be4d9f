#include "oracle/report/step_accuracy_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/report/rendered.h"

namespace oracle::report {
namespace step_accuracy_report_test {

using Json = nlohmann::ordered_json;

JudgedStep step(const std::string& network, double predicted, double measured) {
  JudgedStep out{network, 64, "amp", "bf16", "eager", {}};
  out.comparison.time = Comparison{{Seconds{predicted}, Source::assumed, 0.2}, Seconds{measured}};
  out.comparison.memory = MemoryComparison{Bytes{3.0 * 1024 * 1024}, Bytes{4.0 * 1024 * 1024}};
  out.comparison.needed = Bytes{5.0 * 1024 * 1024};
  out.comparison.available = Bytes{64.0 * 1024 * 1024};
  return out;
}

const SampleOrigin kOrigin{"NVIDIA H200", "NVIDIA H200-SXM5-141GB", "2026", "PyTorch 2.11"};

bool holds(const std::string& text, const std::string& line) {
  return text.find(line) != std::string::npos;
}

TEST(StepAccuracyReport, SaysTheErrorsStepByStepAndTogether) {
  const std::vector<JudgedStep> steps = {step("a", 0.110, 0.100), step("b", 0.060, 0.100)};
  const std::string table =
      as_table(step_accuracy_report(kOrigin, steps, {"a note"}, {"c: why not"}));
  EXPECT_TRUE(
      table.starts_with("median error 25 % in time (2 steps), 25 % in memory (2 steps); "
                        "right about 2 of 2 whether it fits\n"))
      << table;
  EXPECT_TRUE(holds(table, "measured on    NVIDIA H200\n")) << table;
  EXPECT_TRUE(holds(table,
                    "  a            1            10 %  +10 %  +10 %        100 %            25 %  "
                    "-25 %  1 of 1\n"))
      << table;
  EXPECT_TRUE(holds(table, "  100 ms     110 ms  +10 %  4.00 MiB   3.00 MiB  -25 %  fits\n"))
      << table;
  EXPECT_TRUE(holds(table, "  - a note\n")) << table;
  EXPECT_TRUE(holds(table, "  - c: why not\n")) << table;
}

TEST(StepAccuracyReport, WhatWasNotMeasuredIsBlankAndNull) {
  JudgedStep ran_out = step("a", 1, 1);
  ran_out.comparison.time.reset();
  ran_out.comparison.memory.reset();
  ran_out.comparison.fits_measured = false;
  const std::vector<JudgedStep> steps = {ran_out};
  const Document document = step_accuracy_report(kOrigin, steps, {}, {});
  const Json json = Json::parse(as_json(document));
  EXPECT_TRUE(json["steps"][0]["measured"].is_null());
  EXPECT_TRUE(json["steps"][0]["memory_error"].is_null());
  EXPECT_TRUE(json["by_network"][0]["median"].is_null());
  EXPECT_EQ(json["by_network"][0]["steps"], 0);
  EXPECT_EQ(json["by_network"][0]["verdicts"], "0 of 1");
  EXPECT_EQ(json["steps"][0]["verdict"], "out of memory, predicted to fit");
  EXPECT_TRUE(as_table(document).starts_with("right about 0 of 1 whether it fits\n"));
}

TEST(StepAccuracyReport, NothingToCompareIsSaid) {
  const Document document = step_accuracy_report(kOrigin, {}, {}, {"c: why not"});
  EXPECT_TRUE(
      as_table(document).starts_with("no training step of these samples can be compared\n"));
  EXPECT_TRUE(Json::parse(as_json(document))["steps"].empty());
}

}  // namespace step_accuracy_report_test
}  // namespace oracle::report
