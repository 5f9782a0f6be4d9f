#include "oracle/cli/failure_options.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace failure_options_test {

using Json = nlohmann::ordered_json;

Outcome budget(std::vector<const char*> more) {
  std::vector<const char*> args = {"budget", "resnet50", "--cluster", "dgx-1-v100",  "--gpus",
                                   "8,64",   "--batch",  "512",       "--precision", "fp16"};
  args.insert(args.end(), more.begin(), more.end());
  return console(args);
}

Json points(std::vector<const char*> more) {
  more.insert(more.end(), {"--format", "json"});
  const Outcome outcome = budget(more);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out)["points"];
}

TEST(FailureOptions, FailuresAreThoseOfTheLargestCount) {
  const Json both = points({"--mtbf", "8h", "--checkpoint-rate", "1GB/s"});
  const double eight = both[0]["goodput"]["value"], all = both[1]["goodput"]["value"];
  EXPECT_LT(all, eight);
  // fp32 weights and momentum of 25.6 M parameters, 204 MB in 0.2 s: √(2·0.2/28,800) is lost.
  EXPECT_NEAR(1 - all, 0.0037, 0.0003);
  EXPECT_GT(both[0]["time"]["value"], points({})[0]["time"]["value"]);
  EXPECT_EQ(points({"--mtbf", "8h", "--checkpoint-rate", "1GB/s", "--checkpoint-every", "auto"}),
            both);
}

TEST(FailureOptions, AFixedIntervalNeedsNoFailures) {
  const Json json = points({"--checkpoint-every", "100", "--checkpoint-rate", "1GB/s"});
  EXPECT_EQ(json[0]["checkpoint_every"], 100);
  const double step = json[0]["step_time"]["value"];
  const double goodput = json[0]["goodput"]["value"];
  EXPECT_NEAR(goodput, 100 * step / (100 * step + 0.2045), 1e-4);
}

TEST(FailureOptions, WhatIsNotKnownIsAskedFor) {
  const auto expect_refusal = [](const std::vector<const char*>& more, const std::string& words) {
    const Outcome outcome = budget(more);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  };
  expect_refusal({"--mtbf", "8h"}, "give --checkpoint-rate 2GB/s");
  expect_refusal({"--checkpoint-every", "auto", "--checkpoint-rate", "1GB/s"}, "give --mtbf 8h");
  expect_refusal({"--restart", "5min", "--checkpoint-rate", "1GB/s"}, "give --mtbf 8h");
  expect_refusal({"--checkpoint-every", "often"}, "is not an integer");
  expect_refusal({"--mtbf", "0 h", "--checkpoint-rate", "1GB/s"}, "is zero");
  expect_refusal({"--mtbf", "1s", "--checkpoint-rate", "1MB/s"}, "hardly a checkpoint");
}

}  // namespace failure_options_test
}  // namespace oracle::cli
