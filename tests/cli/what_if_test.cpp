// --pareto, --objective cost and --explain on the real models and clusters.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "oracle/report/text.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace cli_what_if_test {

using Json = nlohmann::ordered_json;

TEST(WhatIf, ParetoTradesTimeForMemory) {
  const Outcome outcome = console({"plan", "vgg16", "--cluster", "abci", "--gpus", "16", "--pareto",
                                   "--top", "all", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json answer = Json::parse(outcome.out);
  const Json& frontier = answer["frontier"];
  ASSERT_GT(frontier.size(), 1U);
  EXPECT_EQ(frontier[0]["strategy"], answer["candidates"][0]["strategy"]);
  double least = 1e99;
  for (const Json& row : answer["candidates"]) {
    least = std::min(least, row["memory"]["value"].get<double>());
  }
  EXPECT_EQ(frontier.back()["memory"]["value"].get<double>(), least);
  for (std::size_t i = 1; i < frontier.size(); ++i) {
    EXPECT_LT(frontier[i - 1]["step_time"]["value"], frontier[i]["step_time"]["value"]);
    EXPECT_GT(frontier[i - 1]["memory"]["value"], frontier[i]["memory"]["value"]);
  }
}

TEST(WhatIf, TuningKeepsTheBestVariantOfEachStrategy) {
  const std::vector<const char*> words = {"plan",        "vgg16",       "--cluster", "cloud-10gbe",
                                          "--gpus",      "8",           "--format",  "json",
                                          "--framework", "oracle-train"};
  std::vector<const char*> tuned_words = words;
  tuned_words.push_back("--tune");
  const Outcome plain = console(words), tuned = console(tuned_words);
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const Json before = Json::parse(plain.out), after = Json::parse(tuned.out);
  EXPECT_EQ(after["candidates"].size(), before["candidates"].size());
  EXPECT_GT(after["considered"].get<double>(), 70 * before["considered"].get<double>());
  for (std::size_t i = 0; i < after["candidates"].size(); ++i) {
    EXPECT_LE(after["candidates"][i]["step_time"]["value"],
              before["candidates"][i]["step_time"]["value"]);
  }
  EXPECT_LT(after["candidates"][0]["step_time"]["value"],
            before["candidates"][0]["step_time"]["value"]);
}

TEST(WhatIf, TuningRanksOneOfEachAndHasNoFrontier) {
  const Outcome outcome =
      console({"plan", "vgg16", "--cluster", "abci", "--gpus", "8", "--tune", "--pareto"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(outcome.err.starts_with("oracle: --tune: ranks one variant of each strategy"))
      << outcome.err;
}

TEST(WhatIf, CostNeedsAPrice) {
  const Outcome outcome =
      console({"plan", "alexnet", "--cluster", "abci", "--gpus", "4", "--objective", "cost"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(outcome.err.starts_with("oracle: --objective: no price is known for an hour of "))
      << outcome.err;
}

TEST(WhatIf, CostIsThePriceOfTheTime) {
  const Outcome outcome = console({"plan", "alexnet", "--cluster", "cloud-10gbe", "--gpus", "4",
                                   "--batch", "128", "--objective", "cost", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json answer = Json::parse(outcome.out);
  for (const Json& row : answer["candidates"]) {
    const double step = row["step_time"]["value"];
    EXPECT_NEAR(row["cost_per_step"]["value"].get<double>(), 3.06 * 4 * step / 3600, 1e-12);
    EXPECT_NEAR(row["cost_per_million_samples"]["value"].get<double>(),
                3.06 * 4 * step / 3600 * 1e6 / 128, 1e-9);
  }
}

TEST(WhatIf, ExplainSumsToOne) {
  for (const char* strategy : {"data:64", "data:16,filter:4", "data:16,pipeline:4"}) {
    const Outcome outcome = console({"estimate", "resnet50", "--cluster", "abci", "--strategy",
                                     strategy, "--explain", "--format", "json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json answer = Json::parse(outcome.out);
    double sum = 0;
    for (const Json& row : answer["elasticities"]) {
      if (row["figure"] != "all of these") sum += row["elasticity"].get<double>();
    }
    EXPECT_NEAR(sum, 1, 0.02) << strategy;
    EXPECT_NEAR(answer["elasticities"].back()["elasticity"].get<double>(), sum, 1e-12);
    EXPECT_FALSE(answer["changes"].empty());
  }
}

TEST(WhatIf, AnswersFitATerminal) {
  for (const std::vector<const char*>& args : std::vector<std::vector<const char*>>{
           {"plan", "alexnet", "--cluster", "cloud-10gbe", "--gpus", "8", "--objective", "cost",
            "--pareto"},
           {"estimate", "resnet50", "--cluster", "abci", "--strategy", "data:64", "--explain"}}) {
    std::istringstream stream(console(args).out);
    for (std::string line; std::getline(stream, line);) {
      EXPECT_LE(report::display_width(line), 100U) << line;
    }
  }
}

}  // namespace cli_what_if_test
}  // namespace oracle::cli
