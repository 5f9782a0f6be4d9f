#include "oracle/cli/training_length.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace training_length_test {

using Json = nlohmann::ordered_json;

Outcome budget(std::vector<const char*> more, const char* model = "resnet50") {
  std::vector<const char*> args = {"budget", model, "--cluster", "dgx-1-v100", "--gpus", "8"};
  args.insert(args.end(), more.begin(), more.end());
  return console(args);
}

void expect_refusal(const std::vector<const char*>& more, const std::string& words,
                    const char* model = "resnet50") {
  const Outcome outcome = budget(more, model);
  EXPECT_EQ(outcome.code, 2) << outcome.out;
  EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
}

Json first_point(std::vector<const char*> more, const char* model = "resnet50") {
  more.insert(more.end(), {"--format", "json"});
  const Outcome outcome = budget(more, model);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out)["points"][0];
}

TEST(TrainingLength, ATargetTakesWhatIsPublishedOfTheNetwork) {
  const Json point = first_point({"--batch", "1024"});
  // 34.0 epochs · (1 + 1,024/45,300), of 1,252 steps each.
  EXPECT_NEAR(point["epochs"].get<double>(), 34.7, 0.1);
  EXPECT_NEAR(point["steps"].get<double>(), 34.7 * 1252, 150);
  EXPECT_EQ(first_point({"--batch", "1024", "--target", "75.9%"}), point);
  EXPECT_EQ(first_point({"--batch", "1024", "--target", "75.9 %", "--dataset", "imagenet"}), point);
  EXPECT_EQ(first_point({"--batch", "1024", "--convergence", "resnet50"}), point);
}

TEST(TrainingLength, ADataSetIsKnownByItsNameToEveryCommand) {
  const auto run = [](const std::vector<const char*>& length) {
    std::vector<const char*> args = {"plan",   "resnet50", "--cluster", "abci",
                                     "--gpus", "8",        "--axes",    "data"};
    args.insert(args.end(), length.begin(), length.end());
    args.insert(args.end(), {"--format", "json"});
    return Json::parse(console(args).out)["run"];
  };
  const Json named = run({"--dataset", "imagenet", "--epochs", "90"});
  EXPECT_EQ(named, run({"--samples", "1281167", "--epochs", "90"}));
  EXPECT_GT(named[0]["steps"], 0);
}

TEST(TrainingLength, AnAbsurdBatchIsRefused) {
  expect_refusal({"--batch-per-gpu", "1000000000"}, "are more than");
}

TEST(TrainingLength, EpochsAreThoseAskedFor) {
  const Json point = first_point({"--batch", "1024", "--dataset", "imagenet", "--epochs", "90"});
  EXPECT_EQ(point["epochs"], 90);
  EXPECT_EQ(point["steps"], 90 * 1252);
  EXPECT_EQ(first_point({"--batch", "1024", "--samples", "1281167", "--epochs", "90"}), point);
}

TEST(TrainingLength, ACriticalBatchSaysWhatLargeOnesNeedMore) {
  const auto with = [](const char* batch) {
    return first_point(
        {"--batch", batch, "--dataset", "imagenet", "--epochs", "90", "--critical-batch", "1024"});
  };
  EXPECT_NEAR(with("256")["epochs"].get<double>(), 112.5, 1e-9);
  EXPECT_NEAR(with("1024")["epochs"].get<double>(), 180, 1e-9);
  EXPECT_GT(with("1024")["uncertainty"]["value"].get<double>(), 0.49);
  const Json tokens = first_point({"--batch", "64", "--tokens", "1G", "--strategy", "data",
                                   "--sequence", "512", "--critical-batch", "64"},
                                  "gpt2");
  EXPECT_EQ(tokens["samples"], 2 * 1953125);
}

TEST(TrainingLength, TokensAreCountedInSamplesOfTheNetwork) {
  const Json point = first_point(
      {"--batch", "64", "--tokens", "1G", "--strategy", "data", "--sequence", "512"}, "gpt2");
  EXPECT_EQ(point["samples"], 1953125);
  EXPECT_EQ(point["steps"], 30518);
}

TEST(TrainingLength, AnotherNetworkMayTakeThePointsOfOne) {
  const Json point = first_point({"--batch", "256", "--convergence", "resnet50"}, "resnet101");
  EXPECT_NEAR(point["epochs"].get<double>(), 34.15, 0.01);
}

TEST(TrainingLength, OwnPointsAreAFile) {
  const Scratch scratch;
  const std::string file = scratch.file(
      "mine.json",
      R"({"schema": "oracle/convergence/1", "networks": ["vgg16"], "dataset": "cifar10",
          "metric": "top-1 accuracy", "target": "90 %", "unit": "epochs", "optimizer": "sgd",
          "source": "own runs, 2026", "points": [
          {"batch": 100, "data": 11, "source": "run 1"},
          {"batch": 200, "data": 12, "source": "run 2"},
          {"batch": 400, "data": 14, "source": "run 3"}]})");
  const Json point = first_point({"--batch", "400", "--convergence", file.c_str()}, "vgg16");
  EXPECT_NEAR(point["epochs"].get<double>(), 14, 1e-9);
  EXPECT_EQ(point["steps"], 14 * 125);
}

TEST(TrainingLength, NamesThatAreNotKnownAreRefusedWithTheNearest) {
  expect_refusal({"--dataset", "imagnet", "--epochs", "9"}, "did you mean \"imagenet\"?");
  expect_refusal({"--convergence", "resnet5"}, "did you mean \"resnet50\"?");
  expect_refusal({"--price", "lamda"}, "did you mean \"lambda\"?");
  expect_refusal({}, "did you mean \"resnet50\"?", "resnet5");
}

TEST(TrainingLength, ATargetThatWasNotPublishedIsRefusedWithThoseThatWere) {
  expect_refusal({"--target", "80%"}, "no points of \"resnet50\" are published for \"80%\"");
  expect_refusal({"--target", "80%"}, "75.9 % top-1 accuracy on imagenet");
  expect_refusal({"--dataset", "cifar10"}, "75.9 % top-1 accuracy on imagenet");
  expect_refusal({}, "no points of \"vgg16\" are published", "vgg16");
}

TEST(TrainingLength, PointsOfTextsAreOfTheirSequence) {
  expect_refusal({"--batch", "16", "--sequence", "128"},
                 "are of texts of 512 tokens, not 128; give --sequence 512", "bert_large");
  const Json point =
      first_point({"--batch", "16", "--precision", "fp16", "--optimizer", "adam"}, "bert_large");
  EXPECT_NEAR(point["samples"].get<double>(), 2.279e6, 0.001e6);
}

TEST(TrainingLength, WhatContradictsIsRefused) {
  expect_refusal({"--target", "75.9%", "--epochs", "9", "--dataset", "imagenet"},
                 "contradicts --epochs");
  expect_refusal({"--samples", "100"}, "give --epochs");
  expect_refusal({"--epochs", "9"}, "of what?");
  expect_refusal({"--samples", "9", "--dataset", "imagenet", "--epochs", "9"},
                 "contradicts --dataset");
  expect_refusal({"--dataset", "c4", "--epochs", "1"}, "is a text");
  expect_refusal({"--critical-batch", "900"}, "add --epochs, or --tokens");
  expect_refusal({"--critical-batch", "0", "--dataset", "imagenet", "--epochs", "9"},
                 "--critical-batch: ");
}

}  // namespace training_length_test
}  // namespace oracle::cli
