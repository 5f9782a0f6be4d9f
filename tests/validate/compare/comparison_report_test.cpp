#include "validate/compare/comparison_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/report/rendered.h"
#include "tests/validate/compare/fixtures.h"

namespace oracle {
namespace comparison_report_test {

using Json = nlohmann::ordered_json;

report::Document document_of(const Measurement& run, ByItem by) {
  const Prediction before = prediction_of(run, 1);
  return comparison_report(compare(before, run, 1), before, run, by);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ComparisonReport, SaysStepLossesAndBytes) {
  const std::string text = report::as_table(document_of(run_of(kRunText), ByItem::transfer));
  EXPECT_TRUE(
      text.starts_with("step measured 2.00 s, before 2.00 s ± 40 %: +0 %, within the "
                       "interval\n"))
      << text;
  EXPECT_TRUE(holds(text, "two, 2 ranks, data:2, batch 8, fp32, sgd; median of 3 steps of 4"))
      << text;
  EXPECT_TRUE(holds(text, "2.50 initial, 1.25 final")) << text;
  EXPECT_TRUE(holds(text, "1.20 s to 2.80 s (10th to 90th percentile)")) << text;
  EXPECT_TRUE(holds(text, "800 B a step by all ranks, equal to the plan's")) << text;
  EXPECT_TRUE(holds(text, "400 B  400 B  equal")) << text;
  EXPECT_FALSE(holds(text, "by layer")) << text;
}

TEST(ComparisonReport, CheckpointsStandNextToTheirPrediction) {
  const auto with = [](const std::string& mode) {
    const Measurement run =
        run_of(run_text_with(R"("items": [)", R"("checkpoints": {"mode": ")" + mode +
                                                  R"(", "every": 5, "count": 2, "bytes": 1200,
                                "wait_seconds": 0.5, "write_seconds": 0.25}, "items": [)"));
    Prediction prediction = prediction_of(run, 1);
    prediction.checkpoint = Cost{Seconds{0.4}, Source::measured, 0.1};
    return report::as_table(
        comparison_report(compare(prediction, run, 1), prediction, run, ByItem::none));
  };
  EXPECT_TRUE(
      holds(with("synchronous"),
            "2 of 1.20 kB, synchronous; 500 ms of waiting for one, predicted 400 ms: -20 %"))
      << with("synchronous");
  EXPECT_TRUE(
      holds(with("asynchronous"), "500 ms of waiting for one, 250 ms to write, predicted 400"))
      << with("asynchronous");
  EXPECT_FALSE(holds(report::as_table(document_of(run_of(kRunText), ByItem::none)), "checkpoints"));
}

TEST(ComparisonReport, JsonKeepsTheContextAndEveryItem) {
  const Json json = Json::parse(report::as_json(document_of(run_of(kRunText), ByItem::none)));
  EXPECT_EQ(json["schema"], "oracle/comparison/1");
  EXPECT_EQ(json["promises"], "kept");
  EXPECT_EQ(json["context"]["host"], "a");
  EXPECT_EQ(json["layers"][0]["forward_measured"]["value"], 0.25);
  EXPECT_EQ(json["transfers"][0]["sent"]["value"], 400);
  EXPECT_EQ(json["peak_memory"][0]["measured"]["value"], 2000);
}

TEST(ComparisonReport, ABrokenPromiseLeads) {
  const Measurement run = run_of(run_text_with("\"sent_bytes\": 400", "\"sent_bytes\": 200"));
  const std::string text = report::as_table(document_of(run, ByItem::none));
  EXPECT_TRUE(text.starts_with("all_reduce of a sent 200 B where the plan has 400 B; step "))
      << text;
  Measurement differs = run_of(kRunText);
  differs.check = SerialCheck{false, 1e-5, 0.5, 0.25, "a weight"};
  const report::Document document = document_of(differs, ByItem::none);
  EXPECT_TRUE(document.headline.starts_with("the run differs from the serial run; "));
  EXPECT_TRUE(holds(report::as_table(document),
                    "differs from the serial run: loss off by 0.5, gradients by 0.25 at most (a "
                    "weight)"));
}

}  // namespace comparison_report_test
}  // namespace oracle
