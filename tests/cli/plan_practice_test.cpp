#include <array>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace plan_practice_test {

using Json = nlohmann::json;

/// A strategy that somebody trained with, or published.
struct Practice {
  const char *model, *cluster, *gpus, *batch, *sequence, *precision, *framework, *strategy;
};

/// From data/published/nemo-h100-2024-fp8.json and the log of tests/data/jobs.
constexpr std::array<Practice, 3> kPractices = {
    {{"gpt3_175b", "dgx-h100", "128", "256", "2048", "fp8", "nemo",
      "pipeline:8,data:4,tensor_sequence:4; micro_batches=64; chunks=6; zero=1; regather=on; "
      "tensor_overlap=on"},
     {"llama2_7b", "dgx-h100", "8", "128", "4096", "fp8", "nemo",
      "data:8; micro_batches=16; zero=1"},
     {ORACLE_SOURCE_DIR "/tests/data/jobs/megatron.log", "8xrtx4090", "8", "128", "4096", "bf16",
      "megatron", "pipeline:4,data:2; micro_batches=64; zero=1; overlap=off"}}};

Json ask(const char* command, const Practice& practice, std::vector<const char*> more) {
  more.insert(more.begin(),
              {command, practice.model, "--cluster", practice.cluster, "--batch", practice.batch,
               "--sequence", practice.sequence, "--precision", practice.precision, "--optimizer",
               "adam", "--framework", practice.framework, "--format", "json"});
  const Outcome outcome = console(more);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

/// By the same model of a step a search finds nothing worse than what practice found.
TEST(PlanPractice, IsNoBetterThanTheSearch) {
  for (const Practice& practice : kPractices) {
    const Json known = ask("estimate", practice, {"--strategy", practice.strategy});
    const Json found = ask("plan", practice, {"--gpus", practice.gpus, "--top", "1"});
    EXPECT_LE(found.at("candidates").at(0).at("step_time").at("value").get<double>(),
              1.001 * known.at("step_time").at("value").get<double>())
        << practice.strategy << ", and " << found.at("candidates").at(0).at("strategy");
  }
}

/// Transformer Engine's buffers lie in one NVLink domain.
TEST(PlanPractice, MessagesOfTensorParallelismAreHiddenInANode) {
  const Practice gpt3 = {"gpt3_175b", "dgx-a100", "512", "1536", "2048", "bf16", "megatron", ""};
  const auto step = [&](const char* strategy) {
    return ask("estimate", gpt3, {"--strategy", strategy}).at("step_time").at("value");
  };
  EXPECT_LT(step("data:64,tensor_sequence:8; zero=3; recompute=full; tensor_overlap=on"),
            step("data:64,tensor_sequence:8; zero=3; recompute=full"));
  EXPECT_EQ(step("data:32,tensor_sequence:16; zero=3; recompute=full; tensor_overlap=on"),
            step("data:32,tensor_sequence:16; zero=3; recompute=full"));
  const auto best_of = [&](const char* axes) {
    const Json answer = ask("plan", gpt3, {"--gpus", gpt3.gpus, "--top", "1", "--axes", axes});
    return answer.at("candidates").at(0).at("strategy").get<std::string>();
  };
  EXPECT_NE(best_of("data,tensor_sequence,pipeline").find("tensor_overlap=on"), std::string::npos);
  EXPECT_EQ(best_of("data,context").find("tensor_overlap"), std::string::npos);
}

}  // namespace plan_practice_test
}  // namespace oracle::cli
