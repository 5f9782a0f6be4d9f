// The whole command: what is asked for, what is refused, and the shape of its answer.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace trials_test {

using Json = nlohmann::ordered_json;

Outcome trials(std::vector<const char*> more) {
  std::vector<const char*> args = {"trials", "resnet50", "--cluster", "dgx-a100",  "--gpus",
                                   "32",     "--epochs", "90",        "--dataset", "imagenet"};
  args.insert(args.end(), more.begin(), more.end());
  return console(args);
}

Json json_of(std::vector<const char*> more) {
  more.insert(more.end(), {"--format", "json"});
  const Outcome outcome = trials(more);
  EXPECT_TRUE(outcome.code == 0 || outcome.code == 1) << outcome.err;
  return Json::parse(outcome.out);
}

TEST(Trials, OneGpuEachIsBestWhereTrialsFillThem) {
  const Json json = json_of({"--trials", "64", "--batch", "256"});
  ASSERT_EQ(json["points"].size(), 6U);
  EXPECT_EQ(json["points"][0]["at_a_time"], 32);
  const double one = json["points"][0]["time"]["value"];
  for (const Json& point : json["points"]) EXPECT_GE(point["time"]["value"].get<double>(), one);
  EXPECT_EQ(json["by_trials"].back()["ranks_per_trial"], 1);
  EXPECT_EQ(json["by_trials"].front()["ranks_per_trial"], 32);
}

TEST(Trials, AshaIsFasterThanAllToTheEnd) {
  const auto time = [](const char* scheduler) {
    return json_of({"--trials", "64", "--batch", "256", "--scheduler",
                    scheduler})["points"][0]["time"]["value"]
        .get<double>();
  };
  EXPECT_LT(time("asha"), time("random"));
  EXPECT_EQ(time("grid"), time("random"));
}

TEST(Trials, ASweepOfHyperbandKnowsItsNumber) {
  // Li et al. 2018, table 1.
  const Json json = json_of({"--scheduler", "hyperband", "--rungs", "5", "--batch", "256"});
  EXPECT_EQ(json["trials"], 143);
}

TEST(Trials, WhatIsMissingIsNamed) {
  const Outcome outcome = trials({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("give --trials 64"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("give --batch 256"), std::string::npos) << outcome.err;
}

TEST(Trials, ContradictionsAreRefused) {
  const auto refused = [](std::vector<const char*> more, const char* with) {
    more.insert(more.end(), {"--trials", "8", "--batch", "256"});
    const Outcome outcome = trials(more);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(with), std::string::npos) << outcome.err;
  };
  refused({"--eta", "4"}, "has no effect");
  refused({"--scheduler", "asha", "--eta", "1"}, "lets all trials go on");
  refused({"--gpus-per-trial", "1,64"}, "64 are more than all 32");
  refused({"--scheduler", "bayes"}, "is not a choice");
}

TEST(Trials, WhatDoesNotFitIsANo) {
  const Outcome outcome = trials({"--trials", "4", "--batch", "1000000"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.out.starts_with("a trial fits on none of these counts")) << outcome.out;
}

}  // namespace trials_test
}  // namespace oracle::cli
