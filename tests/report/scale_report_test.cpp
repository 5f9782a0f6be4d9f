#include "oracle/report/scale_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/report/fixtures.h"
#include "tests/report/rendered.h"

namespace oracle::report {
namespace scale_report_test {

using Json = nlohmann::ordered_json;

class ScaleReport : public testing::Test {
 protected:
  ScaleReport() {
    Evaluation crowded = fitting();
    std::get<Fits>(crowded.result).bottleneck = Bottleneck::activation_exchange;
    std::get<Fits>(crowded.result).bottleneck_text = "activations over the wire";
    study_.points = {{1, 32, fitting(), 1.0},
                     {2, 64, fitting(), 0.9},
                     {4, 128, crowded, 0.5},
                     {8, 256, refused(), 0}};
    study_.crossover = 4;
    study_.limits = {{Cut::sample, "p ≤ batch", 256, "batch", 128},
                     {Cut::filter, "p ≤ min filters", 4, "layer conv1", 0}};
    request_.training = small_training();
    request_.training.batch = 32;
    Strategy growing;
    growing.mesh = {{0, Cut::sample}};
    request_.strategy = growing;
  }

  Document report() const { return scale_report({graph_, cluster_, {}}, study_, request_); }

  Graph graph_ = small_graph();
  Cluster cluster_ = small_cluster();
  ScaleStudy study_;
  ScaleRequest request_;
};

TEST_F(ScaleReport, TellsHowFarAndWhy) {
  EXPECT_TRUE(as_table(report()).starts_with(
      "efficiency 50 % at 4 GPUs   1,553 samples/s   communication overtakes compute at 4 GPUs\n"
      "\n"
      "small on pair, data, batch 32 per GPU (weak scaling), fp32, momentum\n"
      "\n"
      "  GPUs  batch     step     ±  samples/s  efficiency  exposed    memory  limited by\n"
      "     1     32  41.2 ms  12 %      1,553       100 %     15 %  9.10 GiB  gradient "
      "communication\n"
      "     2     64  41.2 ms  12 %      1,553        90 %     15 %  9.10 GiB  gradient "
      "communication\n"
      "     4    128  41.2 ms  12 %      1,553        50 %     15 %  9.10 GiB  activation "
      "communication\n"
      "     8    256                                                           does not fit: "
      "filters\n"
      "\n"
      "what limits, from this number of GPUs on\n"
      "  1  gradient exchange over the wire\n"
      "  4  activations over the wire\n"
      "  8  layer fc: needs 16 filters, has 10 filters; use at most filter:10\n"
      "\n"
      "how far each mesh axis goes alone, at batch 256\n"
      "  axis    rule             at most  and in memory  because of\n"
      "  data    p ≤ batch            256            128  batch\n"
      "  filter  p ≤ min filters        4           none  layer conv1\n"))
      << as_table(report());
}

TEST_F(ScaleReport, JsonHoldsPointsAndLimits) {
  const Json json = Json::parse(as_json(report()));
  EXPECT_EQ(json["schema"], "oracle/scaling/1");
  EXPECT_EQ(json["scaling"], "weak");
  EXPECT_EQ(json["batch_per_rank"], 32);
  EXPECT_EQ(json["crossover"], 4);
  EXPECT_EQ(json["points"][1]["efficiency"]["value"], 0.9);
  EXPECT_EQ(json["points"][3]["verdict"], "infeasible");
  EXPECT_TRUE(json["points"][3]["step_time"].is_null());
  EXPECT_EQ(json["limits"][1]["most_in_memory"], 0);
}

TEST_F(ScaleReport, TheBestAtEachCountIsNamed) {
  request_.strategy.reset();
  study_.crossover.reset();
  const std::string text = as_table(report());
  EXPECT_NE(text.find("communication stays below compute"), std::string::npos);
  EXPECT_NE(text.find("  GPUs  batch  strategy "), std::string::npos) << text;
}

TEST_F(ScaleReport, NothingThatFitsIsSaid) {
  study_.points = {{8, 256, refused(), 0}};
  EXPECT_EQ(report().headline, "nothing fits at any of these counts");
}

}  // namespace scale_report_test
}  // namespace oracle::report
