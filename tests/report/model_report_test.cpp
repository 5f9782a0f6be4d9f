#include "oracle/report/model_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/report/fixtures.h"
#include "tests/report/rendered.h"

namespace oracle::report {
namespace model_report_test {

using Json = nlohmann::ordered_json;

Json row_of(const Json& rows, const std::string& layer) {
  for (const Json& row : rows) {
    if (row["layer"] == layer) return row;
  }
  return {};
}

class ModelReport : public testing::Test {
 protected:
  Json json(std::int64_t batch) const {
    Training training = small_training();
    training.batch = batch;
    return Json::parse(as_json(model_report(graph_, training)));
  }

  Graph graph_ = small_graph();
};

// conv1: 3x3 over 3 channels to 4 of 8x8 positions, with bias; fc: 256 to 10 with bias.
TEST_F(ModelReport, CountsAsByHand) {
  const Json report = json(1);
  EXPECT_EQ(report["parameters"], (27 * 4 + 4) + (256 * 10 + 10));
  EXPECT_EQ(report["multiply_adds"], 27 * 256 + 256 * 10);
  const Json fc = row_of(report["layers"], "fc");
  EXPECT_EQ(fc["input"], "256");
  EXPECT_EQ(fc["output"], "10");
  EXPECT_EQ(fc["parameters"], 2570);
  // The weight gradient of a dense layer is an outer product: a multiply-add per weight.
  EXPECT_GE(fc["backward_weights_flops"]["value"], 2 * 2560);
  EXPECT_LT(fc["backward_weights_flops"]["value"], 2 * 2560 + 100);
  // At least the weights and both activations move, 4 bytes each.
  EXPECT_GE(fc["forward_bytes"]["value"], 4 * (2570 + 256 + 10));
}

TEST_F(ModelReport, WorkGrowsWithTheBatchAndParametersDoNot) {
  const Json one = row_of(json(1)["layers"], "conv1");
  const Json eight = row_of(json(8)["layers"], "conv1");
  EXPECT_EQ(eight["parameters"], one["parameters"]);
  EXPECT_DOUBLE_EQ(eight["forward_flops"]["value"].get<double>(),
                   8 * one["forward_flops"]["value"].get<double>());
}

TEST_F(ModelReport, PassesAreTheSumsOfTheirColumns) {
  const Json report = json(2);
  double sum = 0;
  for (const Json& row : report["layers"]) sum += row["backward_data_flops"]["value"].get<double>();
  EXPECT_DOUBLE_EQ(report["passes"][1]["flops"]["value"].get<double>(), sum);
}

TEST_F(ModelReport, PublishedFiguresStandBesideTheirSource) {
  graph_.published = {2682, 9472, "counted by hand"};
  const std::string text = as_table(model_report(graph_, small_training()));
  EXPECT_NE(text.find("published\n  parameters     2,682\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  source         counted by hand\n"), std::string::npos) << text;
  EXPECT_TRUE(text.starts_with("small   2,682 parameters   "));
}

}  // namespace model_report_test
}  // namespace oracle::report
