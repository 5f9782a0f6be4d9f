#include "oracle/report/accuracy_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/report/rendered.h"

namespace oracle::report {
namespace accuracy_report_test {

using Json = nlohmann::ordered_json;

Comparison compared(double predicted, double measured) {
  return {{Seconds{predicted}, Source::assumed, 0.2}, Seconds{measured}};
}

JudgedRun run(const char* kind, bool fitted, double predicted, double measured) {
  return {"net",       "cluster",  "device",
          "framework", "strategy", "fp32",
          64,          fitted,     compared(predicted, measured),
          "file",      "somebody", {kind, "one node", "volta", "fp32"}};
}

AccuracyStudy study() {
  AccuracyStudy out;
  out.runs = {run("one device", true, 3, 1), run("one device", false, 1.1, 1),
              run("filter", false, 0.5, 1)};
  out.collectives = {{"nvlink", "GPUs", Bytes{1e3}, false, compared(1.5, 1)},
                     {"nvlink", "GPUs", Bytes{1e9}, false, compared(0.9, 1)},
                     {"nvlink", "GPUs", Bytes{1e9}, true, compared(2, 1)}};
  out.projections = {{"file", "filter", 0.25}, {"file", "channel", 0.9}};
  out.kernels = {{"device", "fp32", "large product", false, -0.1}};
  return out;
}

/// Efficiencies: 1 on one node is 0.8 of two, predicted 0.5; what was fitted on stands apart.
TEST(AccuracyReport, ScalingOfSeriesStandsByScaleAndSet) {
  AccuracyStudy of_series = study();
  const auto add = [&](bool fitted, std::int64_t ranks, double predicted, double measured) {
    JudgedRun one = run("data parallel", fitted, predicted, measured);
    one.ranks = ranks;
    one.series = "net";
    one.id = fitted ? "fit" : "judge";
    if (ranks > 1) one.what.scale = "several nodes";
    of_series.runs.push_back(one);
  };
  add(false, 1, 1, 1), add(false, 16, 2, 1.25), add(true, 1, 1, 1), add(true, 2, 1, 1);
  const Json json = Json::parse(as_json(accuracy_report(of_series)));
  ASSERT_EQ(json["scaling"].size(), 4U);
  EXPECT_EQ(json["scaling"][0]["scale"], "any");
  EXPECT_EQ(json["scaling"][1]["scale"], "several nodes");
  EXPECT_NEAR(json["scaling"][1]["bias"]["value"].get<double>(), -0.3, 1e-12);
  EXPECT_EQ(json["scaling"][2]["set"], "fit");
  ASSERT_EQ(json["series"].size(), 2U);
  EXPECT_EQ(json["series"][0]["most"], 16);
}

/// 30 % too much without, 10 % with.
TEST(AccuracyReport, OneRunKnownStandsBesideNone) {
  AccuracyStudy of_paced = study();
  of_paced.paced = {{"one node", false, compared(1.3, 1), compared(1.1, 1)}};
  const Json json = Json::parse(as_json(accuracy_report(of_paced)));
  ASSERT_EQ(json["with_one_run"].size(), 2U) << "any scale, and its own";
  for (const Json& row : json["with_one_run"]) {
    EXPECT_NEAR(row["without"]["value"].get<double>(), 0.3, 1e-12);
    EXPECT_NEAR(row["with"]["value"].get<double>(), 0.1, 1e-12);
    EXPECT_EQ(row["coverage"]["value"], 1);
  }
}

/// The strategy predicted fastest took 1.5 s where another took 1.2 s: a loss of 25 %.
TEST(AccuracyReport, ChoicesSayWhatTheStrategyPredictedFastestLost) {
  AccuracyStudy of_choices = study();
  const auto add = [&](const char* strategy, double predicted, double measured) {
    JudgedRun one = run("tensor", false, predicted, measured);
    one.setting = "8 GPUs";
    one.strategy = strategy;
    of_choices.runs.push_back(one);
  };
  add("data:8", 1, 1.5), add("tensor:8", 2, 1.2), add("pipeline:8", 3, 3);
  const Json json = Json::parse(as_json(accuracy_report(of_choices)));
  ASSERT_EQ(json["choices"].size(), 2U);
  EXPECT_EQ(json["choices"][0]["framework"], "any");
  EXPECT_EQ(json["choices"][0]["right"], 0);
  EXPECT_NEAR(json["choices"][0]["mean"]["value"].get<double>(), 0.25, 1e-12);
  EXPECT_EQ(json["choices"][0]["pairs"], 3);
  EXPECT_EQ(json["choices"][0]["in_order"], 2);
  EXPECT_EQ(json["each_choice"][0]["predicted"], "data:8");
  EXPECT_EQ(json["each_choice"][0]["measured"], "tensor:8");
}

/// What constants may be fitted on says nothing of how right they are.
TEST(AccuracyReport, FittedRunsJudgeNothing) {
  const Json json = Json::parse(as_json(accuracy_report(study())));
  EXPECT_EQ(json["headline"],
            "median error 30 % over 2 published runs, none of them used to fit anything");
  ASSERT_EQ(json["by_strategy"].size(), 2U);
  EXPECT_EQ(json["by_strategy"][0]["strategy"], "one device");
  EXPECT_NEAR(json["by_strategy"][0]["median"]["value"].get<double>(), 0.1, 1e-12);
  EXPECT_EQ(json["runs"].size(), 3U);
}

TEST(AccuracyReport, ProjectionsOfTheSourceStandNextToOurs) {
  const Json json = Json::parse(as_json(accuracy_report(study())));
  ASSERT_EQ(json["projections"].size(), 1U) << "no run is channel parallel";
  EXPECT_NEAR(json["projections"][0]["ours"]["value"].get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(json["projections"][0]["theirs"]["value"].get<double>(), 0.25, 1e-12);
}

TEST(AccuracyReport, CollectivesAreApartByLinkSizeAndSet) {
  const Json json = Json::parse(as_json(accuracy_report(study())));
  ASSERT_EQ(json["collectives"].size(), 3U);
  EXPECT_EQ(json["collectives"][0]["messages"], "to 64 KiB");
  EXPECT_EQ(json["collectives"][1]["messages"], "above 64 MiB");
  EXPECT_EQ(json["collectives"][2]["set"], "fit");
  EXPECT_NEAR(json["collectives"][2]["half_width"]["value"].get<double>(), 0.5, 1e-12)
      << "measured is half of predicted";
}

TEST(AccuracyReport, KernelsAreShownWhereAskedFor) {
  EXPECT_EQ(as_table(accuracy_report(study())).find("large product"), std::string::npos);
  const std::string table = as_table(accuracy_report(study(), {.kernels = true}));
  EXPECT_NE(table.find("device  fp32    judge  large product      1            10 %  10 %  -10 %"),
            std::string::npos)
      << table;
}

}  // namespace accuracy_report_test
}  // namespace oracle::report
