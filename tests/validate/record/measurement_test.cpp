#include "validate/record/measurement.h"

#include <cmath>
#include <gtest/gtest.h>

#include "tests/validate/compare/fixtures.h"

namespace oracle {
namespace measurement_test {

std::string problem_of(std::string_view text) {
  try {
    run_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Measurement, ReadsItemsByLayerAndTransfer) {
  const Measurement run = run_of(kRunText);
  EXPECT_EQ(run.asked.model, "two");
  EXPECT_EQ(run.asked.batch, 8);
  ASSERT_EQ(run.layers.size(), 1U);
  EXPECT_EQ(run.layers[0].piece, "4×2x1");
  EXPECT_EQ(run.layers[0].forward, 0.25);
  EXPECT_EQ(run.layers[0].total(), 0.875);
  ASSERT_EQ(run.transfers.size(), 1U);
  EXPECT_EQ(run.transfers[0].collective, "all_reduce");
  EXPECT_EQ(run.transfers[0].exposed, 0.5);
  EXPECT_EQ(run.transfers[0].planned, 400);
  ASSERT_EQ(run.update.size(), 1U);
  EXPECT_EQ(run.update[0], 0.0625);
  ASSERT_EQ(run.context.size(), 3U);
  EXPECT_EQ(run.context[2].second, "2");
  EXPECT_FALSE(run.check);
}

TEST(Measurement, WarmUpIsLeftOut) {
  const StepSpread spread = spread_after(run_of(kRunText), 1);
  EXPECT_DOUBLE_EQ(spread.median, 2);
  EXPECT_DOUBLE_EQ(spread.p10, 1.2);
  EXPECT_DOUBLE_EQ(spread.p90, 2.8);
  EXPECT_EQ(spread.steps, 3U);
  EXPECT_THROW(spread_after(run_of(kRunText), 4), InputError);
}

TEST(Measurement, OfStepsSomeOfWhichWereReplayedThoseCount) {
  const Measurement run =
      run_of(run_text_with(R"("items": [)", R"("replayed_steps": 2, "items": [)"));
  EXPECT_EQ(run.replayed_steps, 2);
  EXPECT_DOUBLE_EQ(spread_after(run, 1).median, 2.5);
  EXPECT_EQ(spread_after(run, 1).steps, 2U);
  EXPECT_EQ(spread_after(run, 3).steps, 1U);
}

TEST(Measurement, ADivergedLossIsNoNumber) {
  const Measurement run = run_of(run_text_with("1.25]", "null]"));
  ASSERT_EQ(run.losses.size(), 4U);
  EXPECT_TRUE(std::isnan(run.losses[3]));
}

TEST(Measurement, TheLargestErrorOfACheckIsKept) {
  const Measurement run = run_of(run_text_with(R"("items": [)", R"("check": {"holds": false,
"tolerance": 1e-5, "loss_error": 0.5, "gradients": [{"parameter": "a bias", "relative": 0.25},
{"parameter": "a weight", "relative": 0.75}]}, "items": [)"));
  ASSERT_TRUE(run.check);
  EXPECT_FALSE(run.check->holds);
  EXPECT_EQ(run.check->gradient_error, 0.75);
  EXPECT_EQ(run.check->parameter, "a weight");
}

TEST(Measurement, KeepsWhatScalingTheLossCosts) {
  const Measurement run = run_of(run_text_with(R"("items": [)", R"("loss_scale": {"last": 512,
"skipped_steps": 2, "seconds": 0.25}, "items": [)"));
  ASSERT_TRUE(run.loss_scale);
  EXPECT_EQ(run.loss_scale->last, 512);
  EXPECT_EQ(run.loss_scale->skipped_steps, 2);
  EXPECT_EQ(run.loss_scale->seconds, 0.25);
  EXPECT_FALSE(run_of(kRunText).loss_scale);
}

constexpr std::string_view kWithAlgorithms = R"("algorithms": [
{"stage": 0, "ranks": [0, 1], "layer": "a", "pass": "forward", "operation": "convolve",
 "shapes": "1 to 2", "algorithm": 3, "workspace_bytes": 4096, "deterministic": false,
 "seconds": 0.125},
{"stage": 0, "ranks": [0], "layer": "a", "pass": "backward_data", "operation": "multiply",
 "shapes": "2 by 2", "algorithm": 7, "workspace_bytes": 512, "deterministic": true}], "items": [)";

TEST(Measurement, KeepsWhatCheckpointsTook) {
  const auto with = [](const std::string& mode) {
    return run_text_with(R"("items": [)", R"("first_step": 3, "checkpoints": {"mode": ")" + mode +
                                              R"(", "every": 5, "count": 2, "bytes": 1200,
                                 "wait_seconds": 0.5, "write_seconds": 0.25}, "items": [)");
  };
  const Measurement run = run_of(with("synchronous"));
  ASSERT_TRUE(run.checkpoints);
  EXPECT_FALSE(run.checkpoints->asynchronous);
  EXPECT_EQ(run.checkpoints->count, 2);
  EXPECT_EQ(run.checkpoints->bytes, 1200);
  EXPECT_EQ(run.checkpoints->wait_seconds, 0.5);
  EXPECT_EQ(run.checkpoints->write_seconds, 0.25);
  EXPECT_TRUE(run_of(with("asynchronous")).checkpoints->asynchronous);
  EXPECT_NE(problem_of(with("later")).find("\"later\" is not a mode"), std::string::npos);
  EXPECT_FALSE(run_of(kRunText).checkpoints);
}

TEST(Measurement, KeepsTheAlgorithmsThatWereChosen) {
  const Measurement run = run_of(run_text_with(R"("items": [)", kWithAlgorithms));
  ASSERT_EQ(run.algorithms.size(), 2U);
  EXPECT_EQ(run.algorithms[0].ranks, (std::vector<int>{0, 1}));
  const Choice first{"a", Pass::forward, "convolve", "1 to 2", 3, 4096, 0.125, false};
  EXPECT_EQ(run.algorithms[0].choice, first);
  const Choice second{"a", Pass::backward_data, "multiply", "2 by 2", 7, 512};
  EXPECT_EQ(run.algorithms[1].choice, second);
}

/// In fp16 on the emulated GPU, as oracle-train wrote it.
TEST(Measurement, ReadsARunOfAGpu) {
  const Measurement run = read_measurement(ORACLE_SOURCE_DIR "/tests/data/runs/emulated_gpu.json");
  ASSERT_EQ(run.algorithms.size(), 20U);
  EXPECT_EQ(run.algorithms[0].choice.operation, "cudnnConvolutionForward");
  EXPECT_EQ(run.algorithms[0].choice.workspace, 1000);
  ASSERT_TRUE(run.loss_scale);
  EXPECT_EQ(run.loss_scale->last, 32768);
}

TEST(Measurement, ReadsARunWhoseStepsWereReplayed) {
  const Measurement run =
      read_measurement(ORACLE_SOURCE_DIR "/tests/data/runs/emulated_gpu_graph.json");
  EXPECT_EQ(run.step_seconds.size(), 6U);
  EXPECT_EQ(run.replayed_steps, 3);
}

TEST(Measurement, SaysWhatIsWrongWithAnAlgorithm) {
  const auto problem_with = [](std::string_view from, std::string_view to) {
    std::string text(kWithAlgorithms);
    text.replace(text.find(from), from.size(), to);
    return problem_of(run_text_with(R"("items": [)", text));
  };
  EXPECT_NE(problem_with("[0, 1]", "[-1]")
                .find("/algorithms/0/ranks: holds something that is not a rank"),
            std::string::npos);
  EXPECT_NE(problem_with("\"forward\"", "\"update\"").find("\"update\" is not a pass"),
            std::string::npos);
  EXPECT_NE(problem_with("4096", "-1").find("/algorithms/0/workspace_bytes: -1 is out of range"),
            std::string::npos);
  EXPECT_NE(problem_with("0.125", "-1").find("/algorithms/0/seconds: -1 is out of range"),
            std::string::npos);
  EXPECT_NE(problem_with("\"shapes\"", "\"shape\"").find("shape"), std::string::npos);
}

TEST(Measurement, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(
      problem_of("{}"),
      "run.json: has no schema, so it is not such a file; give a result that oracle-train --out "
      "or oracle validate --out wrote");
  EXPECT_NE(problem_of(run_text_with("oracle/run/1", "oracle/evaluation/1"))
                .find("is of schema \"oracle/evaluation/1\""),
            std::string::npos);
  EXPECT_NE(problem_of(run_text_with("\"optimizer\"", "\"optimiser\"")).find("optimizer"),
            std::string::npos);
  EXPECT_NE(problem_of(run_text_with("\"seconds\": 0.25", "\"seconds\": -1"))
                .find("run.json:12:/items/0/seconds: -1 is out of range"),
            std::string::npos)
      << problem_of(run_text_with("\"seconds\": 0.25", "\"seconds\": -1"));
  EXPECT_NE(problem_of(run_text_with("\"seconds\": 0.25, ", "")).find("has no \"seconds\""),
            std::string::npos);
  EXPECT_NE(problem_of(run_text_with("\"pass\": \"update\"", "\"pass\": \"upd\""))
                .find("\"upd\" is not a pass"),
            std::string::npos);
  EXPECT_NE(problem_of(run_text_with("[9.0, 1.0, 3.0, 2.0]", "[]")).find("is empty"),
            std::string::npos);
  EXPECT_NE(problem_of(run_text_with("[9.0, 1.0, 3.0, 2.0]", "[9, \"1\"]"))
                .find("neither a time nor a loss"),
            std::string::npos);
}

}  // namespace measurement_test
}  // namespace oracle
