#include "oracle/report/evaluation_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "oracle/report/text.h"
#include "tests/report/fixtures.h"
#include "tests/report/rendered.h"

namespace oracle::report {
namespace evaluation_report_test {

using Json = nlohmann::ordered_json;

class EvaluationReport : public testing::Test {
 protected:
  Document report(const Evaluation& evaluation, const EvaluationView& view = {}) const {
    return evaluation_report({graph_, cluster_, {}}, evaluation, view);
  }

  Graph graph_ = small_graph();
  Cluster cluster_ = small_cluster();
};

TEST_F(EvaluationReport, AnswersFirstAndThenSaysWhy) {
  EXPECT_EQ(as_table(report(fitting())),
            "step 41.2 ms ± 12 %   1,553 samples/s   9.10 of 15.9 GiB per GPU   fits\n"
            "\n"
            "small on pair, 2 GPUs, data:2, batch 64, fp32, momentum\n"
            "\n"
            "  forward            12.0 ms   29 %\n"
            "  backward           23.0 ms   56 %\n"
            "  update              200 us  0.5 %  optimizer\n"
            "  exposed gradients  6.00 ms   15 %  waiting for gradient communication\n"
            "\n"
            "  communication  9.00 ms, 6.00 ms of the step waits for it\n"
            "  limited by     gradient exchange over the wire\n"
            "  based on       assumed 75 %, measured 25 % of busy time\n"
            "\n"
            "memory per GPU: 9.10 of 15.9 GiB, largest: activations\n"
            "  weights      2.00 GiB  22 %\n"
            "  activations  7.10 GiB  78 %\n"
            "\n"
            "assumed\n"
            "  - link, card: a guess\n"
            "  - samples are at hand\n");
}

TEST_F(EvaluationReport, WhatDoesNotFitHasNoTime) {
  const Document document = report(refused());
  EXPECT_EQ(document.headline,
            "does not fit: layer fc: needs 16 filters, has 10 filters; use at most filter:10");
  const std::string text = as_table(document);
  EXPECT_EQ(text.find(" ms"), std::string::npos);
  const Json json = Json::parse(as_json(document));
  EXPECT_EQ(json["verdict"], "infeasible");
  EXPECT_FALSE(json.contains("step_time"));
  EXPECT_EQ(json["infeasible"][0]["needed"], 16);
  EXPECT_EQ(json["infeasible"][0]["unit"], "filters");
  EXPECT_EQ(as_csv(document),
            "constraint,subject,needed,available,unit,remedy\r\n"
            "filters,layer fc,16,10,filters,use at most filter:10\r\n");
}

TEST_F(EvaluationReport, WhatLacksMemorySaysWhatItWouldTake) {
  Evaluation lacking = refused();
  lacking.beyond = *fitting().fits();
  const Document document = report(lacking);
  EXPECT_NE(as_table(document).find("if memory sufficed\n  step     41.2 ms"), std::string::npos);
  EXPECT_EQ(Json::parse(as_json(document))["if_memory_sufficed"]["step_time"]["value"], 0.0412);
}

TEST_F(EvaluationReport, JsonHoldsValuesWithUnitsAndSources) {
  const Json json = Json::parse(as_json(report(fitting())));
  EXPECT_EQ(json["schema"], "oracle/evaluation/1");
  EXPECT_EQ(json["verdict"], "fits");
  EXPECT_EQ(json["model"], "small");
  EXPECT_EQ(json["batch"], 64);
  EXPECT_EQ(json["step_time"], Json::parse(R"({"value": 0.0412, "unit": "s", "source": "assumed",
                                               "uncertainty": 0.12})"));
  EXPECT_EQ(json["throughput"]["unit"], "samples/s");
  EXPECT_EQ(json["breakdown"][4]["part"], "exposed_gradient");
  EXPECT_EQ(json["bottleneck"], "gradient_communication");
  EXPECT_EQ(json["time_by_source"][0]["source"], "measured");
  EXPECT_EQ(json["layers"][0]["layer"], "conv1");
  EXPECT_EQ(json["transfers"][0]["collective"], "all_reduce");
  EXPECT_EQ(json["phases"].size(), kPhaseCount);
  EXPECT_EQ(json["memory"].size(), kMemoryUseCount);
}

TEST_F(EvaluationReport, AFusedLayerSaysWhichKernelComputesIt) {
  Evaluation evaluation = fitting();
  LayerTime& second = std::get<Fits>(evaluation.result).layers[1];
  second.forward = {};
  second.computed_in = 1;
  const Document document = report(evaluation, {.by = By::layer});
  EXPECT_NE(as_table(document).find("in conv1"), std::string::npos) << as_table(document);
  const Json json = Json::parse(as_json(document));
  EXPECT_EQ(json["layers"][1]["computed_in"], "conv1");
  EXPECT_EQ(json["layers"][1]["forward"]["value"], 0);
}

TEST_F(EvaluationReport, CsvHoldsTheTableThatWasAskedFor) {
  EXPECT_EQ(report(fitting()).main, "breakdown");
  EXPECT_EQ(report(fitting(), {.by = By::layer}).main, "layers");
  EXPECT_EQ(report(fitting(), {.by = By::transfer, .timeline = true}).main, "transfers");
  EXPECT_EQ(report(fitting(), {.by = By::phase}).main, "phases");
  EXPECT_EQ(report(fitting(), {.timeline = true}).main, "events");
  EXPECT_EQ(report(fitting(), {.memory = true}).main, "memory");
}

TEST_F(EvaluationReport, NoLineIsWiderThanATerminal) {
  const std::string text =
      as_table(report(fitting(), {.by = By::transfer, .timeline = true, .memory = true}));
  EXPECT_NE(text.find("by transfer"), std::string::npos);
  EXPECT_NE(text.find("the peak lies in"), std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(display_width(line), 100U) << line;
  }
}

}  // namespace evaluation_report_test
}  // namespace oracle::report
