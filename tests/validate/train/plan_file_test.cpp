#include "validate/train/plan_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/cli/console.h"
#include "validate/train/request.h"

namespace oracle {
namespace plan_file_test {

using testing::ElementsAre;
using testing::HasSubstr;

/// What the command answers in JSON.
std::string answered(std::vector<const char*> words) {
  words.insert(words.end(), {"--format", "json"});
  const cli::Outcome outcome = cli::console(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

std::string estimate_of_alexnet() {
  return answered({"estimate", "alexnet", "--cluster", "cloud-10gbe", "--strategy",
                   "conv*=data:2; fc*=filter:2", "--batch", "6", "--input", "3x227x227",
                   "--classes", "10", "--optimizer", "sgd"});
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string problem_of(const std::string& text) {
  try {
    parse_plan_file(json::parse(text, "plan.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string problem_of_run(const std::vector<const char*>& words) {
  try {
    read_request(words);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PlanFile, AnEstimateBecomesTheWordsThatAskForItsPlan) {
  const PlanFile plan = parse_plan_file(json::parse(estimate_of_alexnet(), "plan.json"));
  EXPECT_THAT(plan.words, ElementsAre("--strategy=conv*=data:2; fc*=filter:2", "--batch=6",
                                      "--precision=fp32", "--optimizer=sgd", "--input=3x227x227",
                                      "--classes=10", "--cluster=cloud-10gbe", "--", "alexnet"));
  ASSERT_TRUE(plan.priced);
  EXPECT_FALSE(plan.priced->layers.empty());
}

TEST(PlanFile, OfASearchTheBestIsRun) {
  const std::string ranking =
      answered({"plan", "alexnet", "--cluster", "cloud-10gbe", "--gpus", "2", "--batch", "8"});
  EXPECT_THAT(parse_plan_file(json::parse(ranking, "plan.json")).words,
              testing::Contains("--batch=8"));
  const std::string cuts = answered({"plan", "alexnet", "--cluster", "cloud-10gbe", "--gpus", "2",
                                     "--batch", "8", "--per-layer"});
  const PlanFile plan = parse_plan_file(json::parse(cuts, "plan.json"));
  EXPECT_THAT(plan.words.front(), testing::StartsWith("--strategy="));
  EXPECT_FALSE(plan.priced);
}

TEST(PlanFile, OfARankingTheRecommendedOrTheOneAskedForIsRun) {
  const json::Document ranking = json::parse(
      R"({"schema": "oracle/ranking/1", "recommended": "data:2", "batch": 8, "precision": "fp32",
          "optimizer": "sgd", "asked": {"model": "alexnet"},
          "candidates": [{"strategy": "filter:2"}, {"strategy": "data:2"}]})",
      "plan.json");
  EXPECT_EQ(parse_plan_file(ranking).words.front(), "--strategy=data:2");
  EXPECT_EQ(parse_plan_file(ranking, 1).words.front(), "--strategy=filter:2");
  EXPECT_EQ(parse_plan_file(ranking, 2).words.front(), "--strategy=data:2");
  EXPECT_THROW(parse_plan_file(ranking, 3), InputError);
  EXPECT_THROW(parse_plan_file(json::parse(estimate_of_alexnet(), "plan.json"), 1), InputError);
  EXPECT_THAT(problem_of_run({"alexnet", "--candidate", "2"}),
              HasSubstr("--candidate: is one of a plan's"));
}

TEST(PlanFile, TheRequestIsThatOfThePlanAndOfTheCommandLine) {
  const cli::Scratch scratch;
  const std::string file = scratch.file("plan.json", estimate_of_alexnet());
  const TrainRequest request =
      read_request(std::vector<const char*>{"--plan", file.c_str(), "--steps", "3", "--check"});
  EXPECT_EQ(request.graph.name, "alexnet");
  EXPECT_EQ(request.graph.layers.back().input.channels(), 10);
  EXPECT_EQ(request.cluster.id, "cloud-10gbe");
  EXPECT_EQ(request.training.batch, 6);
  EXPECT_EQ(request.training.optimizer.name, "sgd");
  EXPECT_EQ(request.strategy.ranks(), 2);
  EXPECT_EQ(request.steps, 3);
  EXPECT_TRUE(request.check);
  const Evaluation now = evaluate(request.graph, request.cluster, Profile{}, request.strategy,
                                  request.training, Detail::events);
  EXPECT_NO_THROW(require_same_plan("plan.json", *request.plan->priced,
                                    prediction_of(request.graph, request.cluster, now)));
}

TEST(PlanFile, WhatThePlanSaysIsNotSaidAgain) {
  const cli::Scratch scratch;
  const std::string file = scratch.file("plan.json", estimate_of_alexnet());
  EXPECT_THAT(problem_of_run({"--plan", file.c_str(), "--batch", "8"}),
              HasSubstr("--batch: is the plan's"));
  EXPECT_THAT(problem_of_run({"alexnet", "--plan", file.c_str()}),
              HasSubstr("one argument too many"));
  EXPECT_THAT(problem_of_run({"--plan", file.c_str(), "--rate", "x"}),
              testing::StartsWith("--rate: "));
}

TEST(PlanFile, ProblemsOfItsWordsAreTheFiles) {
  const cli::Scratch scratch;
  const std::string text =
      replaced(estimate_of_alexnet(), "\"precision\": \"fp32\"", "\"precision\": \"fp16\"");
  const std::string file = scratch.file("plan.json", text);
  EXPECT_THAT(problem_of_run({"--plan", file.c_str()}),
              HasSubstr("plan.json: --precision: a processor trains in fp32 here"));
  EXPECT_EQ(watchdog_seconds(std::vector<const char*>{"--plan", "x", "--watchdog", "7"}), 7);
}

TEST(PlanFile, OtherDocumentsAreRefused) {
  EXPECT_THAT(problem_of("{}"), HasSubstr("has no schema"));
  EXPECT_THAT(problem_of(R"({"schema": "oracle/run/1"})"), HasSubstr("is of schema"));
  EXPECT_THAT(problem_of(R"({"schema": "oracle/ranking/1", "candidates": []})"),
              HasSubstr("nothing fits"));
  EXPECT_THAT(problem_of(replaced(estimate_of_alexnet(), "\"asked\"", "\"askew\"")),
              HasSubstr("does not say how its network was named"));
  EXPECT_THAT(problem_of(replaced(estimate_of_alexnet(), "\"verdict\": \"fits\"",
                                  "\"verdict\": \"infeasible\"")),
              HasSubstr("nothing fits"));
}

TEST(PlanFile, AnotherNetworkThanWasPricedIsNoticed) {
  const Prediction priced =
      *parse_plan_file(json::parse(estimate_of_alexnet(), "plan.json")).priced;
  const auto problem = [&](const Prediction& now) -> std::string {
    try {
      require_same_plan("plan.json", priced, now);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem(priced), "");
  Prediction other = priced;
  other.layers[0].piece = "9×9x9x9";
  EXPECT_THAT(problem(other), HasSubstr("plan.json: /layers: layer \"input\": was priced as"));
  other = priced;
  other.transfers[0].sent *= 2;
  EXPECT_THAT(problem(other), HasSubstr("plan.json: /transfers: layer"));
  other = priced;
  other.transfers.pop_back();
  EXPECT_THAT(problem(other), HasSubstr("transfers, and the plan as it is made now"));
}

}  // namespace plan_file_test
}  // namespace oracle
