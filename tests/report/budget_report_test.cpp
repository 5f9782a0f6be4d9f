#include "oracle/report/budget_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "oracle/report/text.h"
#include "tests/report/fixtures.h"
#include "tests/report/rendered.h"

namespace oracle::report {
namespace budget_report_test {

using Json = nlohmann::ordered_json;

BudgetRun run_of(std::int64_t ranks, std::int64_t batch, double hours) {
  BudgetRun run;
  run.ranks = ranks;
  run.batch = batch;
  run.evaluation = fitting();
  run.data = {35.2, 0.07, false};
  run.cost.steps = 1000;
  run.cost.time = {Seconds{3600 * hours}, Source::assumed, 0.14};
  run.cost.device_hours = hours * static_cast<double>(ranks);
  run.cost.dollars = run.cost.device_hours / 2;
  run.cost.kilowatt_hours = run.cost.device_hours / 4;
  run.cost.energy_uncertainty = 0.35;
  run.cost.parts = {0.12, 0.07, 0.32};
  run.allowed = true;
  return run;
}

Convergence published() {
  Convergence convergence;
  convergence.dataset = "pictures";
  convergence.metric = "top-1 accuracy";
  convergence.target = "75.9 %";
  convergence.optimizer = "lars";
  convergence.source = "a paper, 2020";
  for (const auto& [batch, data] : {std::pair{100, 11.0}, {200, 12.0}, {400, 14.0}, {800, 20.0}}) {
    ConvergencePoint point;
    point.batch = batch;
    point.data = data;
    point.learning_rate = 0.4;
    point.warm_up = 5;
    point.held_out = batch == 800;
    point.source = "table";
    convergence.points.push_back(point);
  }
  return convergence;
}

class BudgetReport : public testing::Test {
 protected:
  BudgetReport() : convergence_(published()) {
    request_.strategy.mesh = {{0, Cut::sample}};
    request_.training = small_training();
    request_.length = {1000, fit_law(convergence_.points)};
    request_.rates = {0.5, 300, 1.58};
    study_.tried = 12;
    study_.points = {run_of(2, 64, 10), run_of(4, 512, 6)};
    study_.best = {study_.points[1], study_.points[0], study_.points[0]};
    view_.convergence = &convergence_;
  }

  Document report() const { return budget_report({graph_, cluster_, {}}, study_, request_, view_); }
  std::string text() const { return as_table(report()); }
  bool says(const std::string& words) const { return text().find(words) != std::string::npos; }

  Graph graph_ = small_graph();
  Cluster cluster_ = small_cluster();
  Convergence convergence_;
  BudgetStudy study_;
  BudgetRequest request_;
  BudgetView view_;
};

TEST_F(BudgetReport, SaysTheBestAndEachCount) {
  EXPECT_TRUE(text().starts_with(
      "fastest: 4 GPUs, batch 512   6.00 h ± 14 %   24.0 GPU-hours   $12.0   6.00 kWh\n"
      "\n"
      "small on pair to 75.9 % top-1 accuracy (pictures), data, the best batch for time, fp32, "
      "momentum\n"
      "\n"
      "best of 12 runs\n"))
      << text();
  EXPECT_TRUE(says("  cheapest         2     64    35.2  41.2 ms  10.0 h  14 %"));
  EXPECT_TRUE(says("each count, the best batch for time\n  GPUs  batch  epochs"));
}

TEST_F(BudgetReport, FitsEightyColumns) {
  study_.points[0].allowed = false;
  request_.deadline = Seconds{3600};
  const std::string text = as_table(report(), {.width = 80});
  std::istringstream lines(text);
  bool of_table = false;
  for (std::string line; std::getline(lines, line);) {
    of_table = of_table || line.starts_with("best of");
    if (of_table) {
      EXPECT_LE(display_width(line), 80U) << line;
    }
  }
}

TEST_F(BudgetReport, SaysWhatTheDataIsBasedOn) {
  EXPECT_TRUE(says("10.0 epochs · (1 + batch/1,000), within")) << text();
  EXPECT_TRUE(says("of 3 published points of batch 100 to 400; a"));
  EXPECT_TRUE(says("held out, batch and error: 800 -10 %"));
  EXPECT_FALSE(says("extrapolated"));
  study_.points[1].data.extrapolated = true;
  EXPECT_TRUE(says("~35.2"));
  EXPECT_TRUE(says("~: the batch is outside 100 to 400, so the law is extrapolated"));
}

TEST_F(BudgetReport, NamesWhatIsLeastCertain) {
  EXPECT_TRUE(says("of time and cost the step, ± 12 %; oracle calibrate")) << text();
  EXPECT_TRUE(says("of energy the power of the boards, ± 32 %"));
  study_.best[0]->cost.parts = {0.05, 0.4, 0.32};
  EXPECT_TRUE(says("of time and cost the data until the target, ± 40 %")) << text();
  EXPECT_FALSE(says("of energy the power"));
}

TEST_F(BudgetReport, AdvisesOnTheLearningRate) {
  EXPECT_TRUE(
      says("learning rate at batch 512\n  - in proportion to the batch: 2 times what is "
           "right at 256, after a warm-up of 5 epochs"))
      << text();
  EXPECT_TRUE(says("published for batch 400: lars, rate 0.400, warm-up 5 epochs"));
  study_.best[0]->batch = 16384;
  EXPECT_TRUE(says("past a batch of 8,192 it was not tried"));
  request_.training.optimizer = optimizer_named("adam");
  EXPECT_TRUE(says("with the square root of the batch: 8 times what is right at 256 (You et al."));
}

TEST_F(BudgetReport, ALimitThatNothingKeepsToIsSaid) {
  for (BudgetRun& run : study_.points) run.allowed = false;
  for (auto& run : study_.best) run->allowed = false;
  request_.deadline = Seconds{3600};
  EXPECT_TRUE(report().headline.starts_with("nothing keeps to 1.00 h; the nearest is 4 GPUs"));
  EXPECT_TRUE(says("past the deadline"));
  EXPECT_TRUE(says("  nearest     4    512"));
  EXPECT_FALSE(says("cheapest"));
  request_.deadline.reset();
  request_.purse = 1;
  EXPECT_TRUE(report().headline.starts_with("nothing keeps to $1.00; the nearest is"));
  EXPECT_TRUE(says("over the purse"));
}

TEST_F(BudgetReport, SaysWhatFailuresLeave) {
  EXPECT_FALSE(says("goodput"));
  EXPECT_TRUE(says("no evaluation, checkpoint or failure"));
  request_.failures = FailureRequest{Seconds{28800}, 4, Seconds{0.1}, Seconds{300}, {}};
  view_.checkpoint = Bytes{204e6};
  study_.best[0]->checkpoints = Checkpointing{Seconds{28800}, 100, 0.95};
  study_.points[0].checkpoints = Checkpointing{Seconds{57600}, 200, 0.97};
  EXPECT_TRUE(
      says("failures and checkpoints\n  - 4 GPUs fail every 8.00 h and start again in 5.00 "
           "min; a checkpoint of 204 MB takes 100 ms,"))
      << text();
  EXPECT_TRUE(says("100 steps (4.12 s): goodput 95.0 %"));
  EXPECT_FALSE(says("checkpoint or failure"));
  const Json json = Json::parse(as_json(report()));
  EXPECT_EQ(json["points"][0]["goodput"]["value"], 0.97);
  EXPECT_EQ(json["points"][0]["checkpoint_every"], 200);
}

TEST_F(BudgetReport, WhatIsNotKnownHasNoColumn) {
  request_.rates = {};
  for (auto& run : study_.points) run.cost.dollars.reset(), run.cost.kilowatt_hours.reset();
  for (auto& run : study_.best) run->cost.dollars.reset(), run->cost.kilowatt_hours.reset();
  EXPECT_FALSE(says("kWh"));
  EXPECT_FALSE(says("$"));
  const Json json = Json::parse(as_json(report()));
  EXPECT_TRUE(json["points"][0]["cost"].is_null());
  EXPECT_EQ(json["best"].size(), 2U);
}

TEST_F(BudgetReport, ACountOnWhichNothingFitsIsThere) {
  BudgetRun none;
  none.ranks = 8;
  none.batch = 8;
  none.evaluation = refused();
  study_.points.push_back(none);
  EXPECT_TRUE(says("why it does not fit\n  - 8 GPUs: layer fc: needs 16 filters, has 10 filters;"))
      << text();
  const Json json = Json::parse(as_json(report()));
  EXPECT_EQ(json["points"][2]["note"], "does not fit");
  EXPECT_TRUE(json["points"][2]["time"].is_null());
  EXPECT_NE(json["points"][2]["refusal"].get<std::string>().find("layer fc"), std::string::npos);
  study_.best = {};
  EXPECT_EQ(report().headline, "nothing fits at any of these counts");
}

TEST_F(BudgetReport, JsonHoldsThePublishedPoints) {
  const Json json = Json::parse(as_json(report()));
  EXPECT_EQ(json["schema"], "oracle/budget/1");
  EXPECT_EQ(json["target"], "75.9 %");
  EXPECT_EQ(json["best"][0]["best"], "time");
  EXPECT_EQ(json["best"][0]["time"]["value"], 6 * 3600);
  EXPECT_EQ(json["convergence"].size(), 4U);
  EXPECT_EQ(json["convergence"][3]["held_out"], "yes");
  EXPECT_NEAR(json["convergence"][3]["error"]["value"], -0.1, 1e-9);
}

TEST_F(BudgetReport, ALengthThatWasAskedForIsSaidAsSuch) {
  view_ = {};
  request_.length = {1'281'167, 90.0};
  EXPECT_TRUE(says("small on pair for 90 epochs of 1,281,167 samples")) << text();
  EXPECT_TRUE(says("as asked for, whatever the batch"));
  request_.length = {0, 4e6};
  EXPECT_TRUE(says("small on pair for 4,000,000 samples"));
  request_.length = {1'281'167, law_of(90, 1500)};
  EXPECT_TRUE(says("small on pair for 90 epochs of 1,281,167 samples, and more by batch"))
      << text();
  EXPECT_TRUE(says("90.0 epochs · (1 + batch/1,500), the critical batch as asked for; ~: no"));
  request_.length = {0, law_of(4e6, 1500)};
  EXPECT_TRUE(says("4,000,000 samples · (1 + batch/1,500)"));
}

}  // namespace budget_report_test
}  // namespace oracle::report
