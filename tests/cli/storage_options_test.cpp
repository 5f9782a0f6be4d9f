#include "oracle/cli/storage_options.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace storage_options_test {

using Json = nlohmann::ordered_json;

Outcome estimate(std::vector<const char*> more) {
  std::vector<const char*> args = {"estimate", "resnet50", "--cluster", "dgx-1-v100",  "--strategy",
                                   "data:16",  "--batch",  "1024",      "--precision", "fp16"};
  args.insert(args.end(), more.begin(), more.end());
  return console(args);
}

Json storage_of(std::vector<const char*> more) {
  more.insert(more.end(), {"--format", "json"});
  const Outcome outcome = estimate(more);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out)["storage"];
}

TEST(StorageOptions, ASlowStorageIsWaitedFor) {
  const Json nfs = storage_of({"--storage", "nfs", "--dataset", "imagenet", "--workers", "8"});
  // 16 ranks of 64 images of 114 kB at 324 MB/s.
  EXPECT_NEAR(nfs["storage"]["value"].get<double>(), 1024 * 146e9 / 1281167 / 324e6, 1e-6);
  EXPECT_GT(nfs["exposed_input"]["value"], 0.1);
  const Json local = storage_of(
      {"--storage", "local-ssd", "--dataset", "imagenet", "--workers", "8", "--cache", "512 GB"});
  EXPECT_EQ(local["storage"]["value"], 0);
  EXPECT_EQ(local["exposed_input"]["value"], 0);
}

TEST(StorageOptions, ManySmallFilesCostWorkers) {
  const auto workers = [](const char* files, const char* decode) {
    return storage_of({"--storage", "object-store", "--files", files, "--decode",
                       decode})["workers"]["value"]
        .get<double>();
  };
  EXPECT_GT(workers("images", "1e9 samples/s"), 64 * 0.15);
  EXPECT_LT(workers("records", "1e9 samples/s"), 64 * 0.01);
  EXPECT_NEAR(workers("records", "100 samples/s") - workers("records", "200 samples/s"), 0.32,
              1e-6);
}

TEST(StorageOptions, CheckpointsGoThere) {
  const Json json = storage_of({"--storage", "nfs", "--checkpoint-every", "100"});
  // 204 MB of fp32 weights and momentum, as mixed precision keeps them, at 66 MB/s.
  EXPECT_GT(json["checkpoint"]["value"], 3);
  EXPECT_LT(json["checkpoint"]["value"], 5);
}

TEST(StorageOptions, WhatBelongsTogetherIsAskedFor) {
  const auto expect_refusal = [](const std::vector<const char*>& more, const std::string& words) {
    const Outcome outcome = estimate(more);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  };
  expect_refusal({"--files", "records"}, "--files: is of a storage, and none is named");
  expect_refusal({"--storage", "nsf"}, "did you mean");
  expect_refusal({"--storage", "nfs", "--cache", "1 GB"}, "name one with --dataset");
  expect_refusal({"--storage", "nfs", "--files", "tars"}, "is not a choice");
  expect_refusal({"--storage", "nfs", "--decode", "100"}, "has no unit");
}

TEST(StorageOptions, ABudgetCountsWhatItWaitsFor) {
  const auto time = [](std::vector<const char*> more) {
    std::vector<const char*> args = {"budget",  "resnet50", "--cluster",   "dgx-1-v100",
                                     "--gpus",  "16",       "--precision", "fp16",
                                     "--batch", "1024",     "--format",    "json"};
    args.insert(args.end(), more.begin(), more.end());
    const Outcome outcome = console(args);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out)["points"][0];
  };
  const Json plain = time({}), slow = time({"--storage", "nfs", "--workers", "8"});
  EXPECT_NEAR(
      slow["time"]["value"].get<double>() / plain["time"]["value"].get<double>(),
      1 + slow["exposed_input"]["value"].get<double>() / plain["step_time"]["value"].get<double>(),
      1e-3);
  EXPECT_GT(slow["exposed_input"]["value"], 0.1);
  const Json kept = time({"--storage", "nfs", "--workers", "8", "--mtbf", "8h"});
  const Json copied = time(
      {"--storage", "nfs", "--workers", "8", "--mtbf", "8h", "--checkpoint-mode", "asynchronous"});
  EXPECT_GT(copied["goodput"]["value"], kept["goodput"]["value"]);
}

}  // namespace storage_options_test
}  // namespace oracle::cli
