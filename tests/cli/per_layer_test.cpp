// plan --per-layer on real models and clusters.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace cli_per_layer_test {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

TEST(PerLayer, TheStrategyItPrintsIsEstimatedAtTheStepItPrints) {
  const Outcome plan = console({"plan", "alexnet", "--cluster", "cloud-10gbe", "--gpus", "16",
                                "--per-layer", "--format", "json"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  const Json answer = Json::parse(plan.out);
  const std::string strategy = answer["strategy"];
  const Outcome estimate = console({"estimate", "alexnet", "--cluster", "cloud-10gbe", "--strategy",
                                    strategy.c_str(), "--batch", "512", "--format", "json"});
  ASSERT_EQ(estimate.code, 0) << estimate.err;
  EXPECT_EQ(Json::parse(estimate.out)["breakdown"], answer["breakdown"]);
  EXPECT_GT(answer["gain"]["value"], 0.19);
  EXPECT_LE(answer["bound"]["value"], answer["best_named_step"]["value"]);
  std::int64_t contractions = 0;
  for (const Json& run : answer["runs"]) contractions += run["contractions"].get<std::int64_t>();
  EXPECT_EQ(contractions, 8);
}

TEST(PerLayer, SaysByHowMuchItBeatsTheNamed) {
  const Outcome plan =
      console({"plan", "alexnet", "--cluster", "cloud-10gbe", "--gpus", "16", "--per-layer"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("faster than any named"));
  EXPECT_THAT(plan.out, HasSubstr("best named"));
  EXPECT_THAT(plan.out, HasSubstr("--strategy"));
}

TEST(PerLayer, RefusesWhatItCannotAnswer) {
  const Outcome plan = console({"plan", "alexnet", "--cluster", "abci", "--gpus", "16",
                                "--per-layer", "--pareto", "--objective", "memory"});
  EXPECT_EQ(plan.code, 2);
  EXPECT_THAT(plan.err, HasSubstr("--pareto: is not for --per-layer"));
  EXPECT_THAT(plan.err, HasSubstr("--objective: --per-layer looks for the shortest step only"));
}

TEST(PerLayer, AnswersNoWhereNothingFits) {
  const Outcome plan = console(
      {"plan", "vgg16", "--cluster", "abci", "--gpus", "4", "--batch", "100000", "--per-layer"});
  EXPECT_EQ(plan.code, 1) << plan.out;
  EXPECT_THAT(plan.out, HasSubstr("nothing fits on 4 GPUs"));
}

}  // namespace cli_per_layer_test
}  // namespace oracle::cli
