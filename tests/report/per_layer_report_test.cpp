#include "oracle/report/per_layer_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/report/fixtures.h"
#include "tests/report/rendered.h"

namespace oracle::report {
namespace per_layer_report_test {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

class PerLayerReport : public testing::Test {
 protected:
  PerLayerReport() {
    Candidate named{};
    named.strategy.mesh = {{2, Cut::sample}};
    named.step.time = Seconds{0.0515};
    answer_.named.considered = 5;
    answer_.named.candidates = {named};
    answer_.best = parse_strategy("data:2; fc=filter:2");
    answer_.step = Seconds{0.0412};
    answer_.runs = {{1, 1, 1, {{2, Cut::sample}}}, {3, 3, 1, {{2, Cut::filter}}}};
    answer_.bound = Seconds{0.040};
    answer_.gain = 0.25;
    answer_.gap = 0.03;
    answer_.meshes = 1;
    answer_.evaluations = 36;
  }

  Document report(const Evaluation* best) const {
    return per_layer_report({graph_, cluster_, {}}, answer_, best, 2, small_training());
  }

  Graph graph_ = small_graph();
  Cluster cluster_ = small_cluster();
  PerLayerAnswer answer_;
};

TEST_F(PerLayerReport, ListsRunsOfLayersAndTheStrategyToPaste) {
  const Evaluation best = fitting();
  const std::string text = as_table(report(&best));
  EXPECT_TRUE(
      text.starts_with("step 41.2 ms ± 12 %   1,553 samples/s   9.10 of 15.9 GiB per GPU   "
                       "25 % faster than any named\n"))
      << text;
  EXPECT_THAT(text, HasSubstr("conv1         1  data:2\n"));
  EXPECT_THAT(text, HasSubstr("fc            1  filter:2\n"));
  EXPECT_THAT(text, HasSubstr("\"data:2; fc=filter:2\""));
  EXPECT_THAT(text, HasSubstr("data:2, 51.5 ms"));
  EXPECT_THAT(text, HasSubstr("within 3.0 % of what no assignment without a pipeline can beat"));
}

TEST_F(PerLayerReport, SaysThatTheBestIsProven) {
  answer_.proven = true;
  answer_.gain = 0;
  const Evaluation best = fitting();
  const std::string text = as_table(report(&best));
  EXPECT_THAT(text, HasSubstr("no assignment found beats it"));
  EXPECT_THAT(text, HasSubstr("proven: no assignment without a pipeline is faster"));
}

TEST_F(PerLayerReport, GivesProgramsTheNumbers) {
  const Evaluation best = fitting();
  const Json json = Json::parse(as_json(report(&best)));
  EXPECT_EQ(json["schema"], "oracle/per_layer/1");
  EXPECT_EQ(json["strategy"], "data:2; fc=filter:2");
  EXPECT_EQ(json["best_named"], "data:2");
  EXPECT_EQ(json["best_named_step"]["value"], 0.0515);
  EXPECT_EQ(json["gain"]["value"], 0.25);
  EXPECT_EQ(json["gap"]["value"], 0.03);
  EXPECT_EQ(json["bound"]["value"], 0.040);
  EXPECT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"][1]["first"], "fc");
}

TEST_F(PerLayerReport, SaysWhyNothingFits) {
  answer_ = {};
  answer_.named.refused = {
      {Constraint::memory, 2, parse_strategy("data:2"), *refused().infeasible()}};
  const std::string text = as_table(report(nullptr));
  EXPECT_TRUE(text.starts_with("nothing fits on 2 GPUs\n")) << text;
  EXPECT_THAT(text, HasSubstr(to_text(*refused().infeasible()).substr(0, 12)));
}

}  // namespace per_layer_report_test
}  // namespace oracle::report
