#include "validate/record/prediction.h"

#include <gtest/gtest.h>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/report/evaluation_report.h"
#include "tests/report/rendered.h"
#include "tests/validate/compare/fixtures.h"

namespace oracle {
namespace prediction_test {

TEST(Prediction, ADocumentSaysWhatItsEvaluationDoes) {
  const Graph graph = load_model(ORACLE_SOURCE_DIR "/tests/validate/models/residual.json");
  const Cluster cluster = load_cluster("abci");
  Training training;
  training.batch = 8;
  const Evaluation evaluation =
      evaluate(graph, cluster, Profile{}, parse_strategy("filter:2"), training, Detail::events);
  ASSERT_TRUE(evaluation.fits());
  const std::string text =
      report::as_json(report::evaluation_report({graph, cluster, {}}, evaluation, {}));
  const Prediction read = parse_prediction(json::parse(text, "p.json"), 1);
  const Prediction made = prediction_of(graph, cluster, evaluation);
  EXPECT_EQ(read.asked.model, made.asked.model);
  EXPECT_EQ(read.asked.strategy, "filter:2");
  EXPECT_EQ(read.step, made.step);
  EXPECT_EQ(read.parts.forward, made.parts.forward);
  EXPECT_EQ(read.parts.exposed(), made.parts.exposed());
  EXPECT_DOUBLE_EQ(read.memory, made.memory);
  EXPECT_EQ(read.stage, made.stage);
  ASSERT_EQ(read.layers.size(), made.layers.size());
  for (std::size_t i = 0; i < read.layers.size(); ++i) {
    EXPECT_EQ(read.layers[i].layer, made.layers[i].layer);
    EXPECT_EQ(read.layers[i].piece, made.layers[i].piece);
    EXPECT_EQ(read.layers[i].total(), made.layers[i].total());
  }
  ASSERT_FALSE(made.transfers.empty());
  ASSERT_EQ(read.transfers.size(), made.transfers.size());
  for (std::size_t i = 0; i < read.transfers.size(); ++i) {
    EXPECT_EQ(read.transfers[i].payload, made.transfers[i].payload);
    EXPECT_EQ(read.transfers[i].collective, made.transfers[i].collective);
    EXPECT_EQ(read.transfers[i].phase, made.transfers[i].phase);
    EXPECT_EQ(read.transfers[i].sent, made.transfers[i].sent);
  }
  EXPECT_FALSE(read.assumptions.empty());
}

TEST(Prediction, PartsOfAStageAndWhatIsLeftOfTheStep) {
  Measurement run = run_of(kRunText);
  run.layers.push_back({1, "b", "4×1", 3, 5, 0});
  run.update = {0, 1};
  EXPECT_EQ(busiest_stage(run), 1U);
  const StepParts parts = parts_of(run, 1, 10);
  EXPECT_EQ(parts.forward, 3);
  EXPECT_EQ(parts.backward, 5);
  EXPECT_EQ(parts.update, 1);
  EXPECT_EQ(parts.exposed(), 0);
  EXPECT_EQ(parts.rest, 1);
}

/// Stages 0 and 2 on one rank, 1 and 3 on the other.
TEST(Prediction, PartsOfARankAreThoseOfAllItsStages) {
  Measurement run = run_of(run_text_with("\"data:2\"", "\"pipeline:2; chunks=2\""));
  EXPECT_EQ(run.chunks, 2);
  run.layers = {{0, "a", "4×1", 3, 5, 0}, {1, "b", "4×1", 4, 5, 0}, {2, "c", "4×1", 2, 1, 1}};
  run.transfers.clear();
  run.update = {0.5, 0.125, 0.25, 0.125};
  EXPECT_EQ(busiest_stage(run), 0U);
  const StepParts parts = parts_of(run, 0, 20);
  EXPECT_EQ(parts.forward, 5);
  EXPECT_EQ(parts.backward, 7);
  EXPECT_EQ(parts.update, 0.75);
  EXPECT_EQ(parts.rest, 7.25);
  EXPECT_EQ(parts_of(run, 1, 20).update, 0.25);
}

TEST(Prediction, WhatDoesNotFitHasNoStep) {
  const std::string text = R"({"schema": "oracle/evaluation/1", "model": "m", "strategy": "data:2",
"precision": "fp32", "optimizer": "sgd", "cluster": "c", "batch": 1, "ranks": 2,
"verdict": "infeasible"})";
  try {
    parse_prediction(json::parse(text, "p.json"), 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "p.json:3:/verdict: the strategy does not fit, so there is no step to compare "
                 "with; estimate one that fits");
  }
}

}  // namespace prediction_test
}  // namespace oracle
