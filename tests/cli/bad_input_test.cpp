// Every way to ask wrongly: one clear message with place and remedy, the right exit code, no
// answer.

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace bad_input_test {

/// What a wrong question must be answered with.
void expect_refused(const std::vector<const char*>& args, const std::string& message) {
  const Outcome outcome = console(args);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("oracle: "));
}

TEST(BadInput, UnknownNamesAreSuggested) {
  expect_refused({"plan", "resnet5", "--cluster", "abci", "--gpus", "4"},
                 "\"resnet5\" is unknown; did you mean \"resnet50\"? See: oracle list models");
  expect_refused({"plan", "resnet50", "--cluster", "abc", "--gpus", "4"},
                 "\"abc\" is unknown; did you mean \"abci\"? See: oracle list clusters");
  expect_refused({"show", "device", "mi300x"}, "; see: oracle list devices");
  expect_refused({"estimate", "vgg16", "--cluster", "abci", "--strategy", "zero:4"},
                 "unknown axis \"zero\"; known: data, ");
  expect_refused({"list", "model"}, "did you mean \"models\"?");
  expect_refused({"show", "modle", "resnet50"}, "did you mean \"model\"?");
}

TEST(BadInput, DevicesThatComputeInAFormatAreNamed) {
  const char* const remedy =
      "write --precision bf16, or take a device that has them: b200-sxm-180gb, b300-sxm-268gb, "
      "gb200-186gb, gb300-279gb, gh200-96gb, h100-nvl-94gb, h100-pcie-80gb, h100-sxm5-80gb, "
      "h100-sxm5-96gb, h20-96gb, h200-sxm5-141gb, h800-sxm5-80gb, l4, l40, l40s, rtx-pro-6000, "
      "rtx4080, rtx4090, rtx5080, rtx5090, rtx6000-ada";
  for (const char* precision : {"fp8", "fp8_block"}) {
    const std::string message =
        std::string("--precision: device a100-sxm4-80gb has no fp8 units; ") + remedy;
    expect_refused({"estimate", "gpt_tiny", "--cluster", "dgx-a100", "--strategy", "data:8",
                    "--precision", precision},
                   message);
    expect_refused(
        {"plan", "gpt_tiny", "--cluster", "dgx-a100", "--gpus", "8", "--precision", precision},
        message);
    expect_refused(
        {"scale", "gpt_tiny", "--cluster", "dgx-a100", "--gpus", "1..8", "--precision", precision},
        message);
  }
  expect_refused({"estimate", "gpt_tiny", "--cluster", "dgx-h100", "--strategy", "data:8",
                  "--precision", "fp4"},
                 "device h100-sxm5-80gb has no fp4 units");
  EXPECT_EQ(console({"estimate", "gpt_tiny", "--cluster", "b200-node", "--strategy", "data:8",
                     "--precision", "fp4"})
                .code,
            0);
}

TEST(BadInput, NumbersThatAreNoCounts) {
  for (const char* number :
       {"0", "-3", "nan", "inf", "1e9", "4.0", " 4", "+4", "0x4", "", "99999999999999999999"}) {
    const Outcome outcome =
        console({"plan", "resnet50", "--cluster", "abci", "--gpus", number, "--batch", "8"});
    EXPECT_EQ(outcome.code, 2) << number;
    EXPECT_NE(outcome.err.find("--gpus"), std::string::npos) << outcome.err;
  }
  expect_refused(
      {"estimate", "vgg16", "--cluster", "abci", "--strategy", "data:4", "--batch", "-8"},
      "--batch: \"-8\" is not an integer; write an integer from 1 to");
}

TEST(BadInput, EverythingWrongIsSaidAtOnce) {
  const Outcome outcome = console({"plan", "resnet5", "--cluster", "abc", "--gpus", "0",
                                   "--precision", "fp31", "--optimizer", "adm"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 5) << outcome.err;
}

TEST(BadInput, AQuantityWithoutItsUnit) {
  expect_refused({"estimate", "vgg16", "--cluster", "abci", "--strategy", "data:4; bucket=25"},
                 "--strategy: option \"bucket\": \"25\" has no unit; write \"bucket=25 MiB\"");
}

TEST(BadInput, AMeshThatIsNotTheNumberOfGpus) {
  expect_refused(
      {"estimate", "vgg16", "--cluster", "abci", "--strategy", "data:16,filter:4", "--gpus", "32"},
      "--gpus: the mesh of \"data:16,filter:4\" has 64 ranks, not 32; ");
  expect_refused({"estimate", "vgg16", "--cluster", "abci", "--strategy", "data"},
                 "--strategy: an axis has no degree; ");
  expect_refused(
      {"estimate", "vgg16", "--cluster", "abci", "--strategy", "data,filter:3", "--gpus", "16"},
      "do not divide 16");
}

TEST(BadInput, OptionsThatContradictEachOther) {
  expect_refused({"estimate", "vgg16", "--cluster", "abci", "--strategy", "data:4", "--batch", "8",
                  "--batch-per-gpu", "2"},
                 "--batch-per-gpu: contradicts --batch; ");
  const std::vector<const char*> scale = {"scale", "vgg16", "--cluster", "abci", "--gpus", "1..4"};
  const auto also = [&](std::initializer_list<const char*> more) {
    std::vector<const char*> args = scale;
    args.insert(args.end(), more);
    return args;
  };
  expect_refused(also({"--weak", "--strong"}), "--weak: contradicts --strong");
  expect_refused(also({"--weak", "--batch", "8"}), "--batch: weak scaling");
  expect_refused(also({"--strong", "--batch-per-gpu", "8"}), "--batch-per-gpu: strong scaling");
  expect_refused(also({"--best", "--strategy", "data"}), "--best: contradicts --strategy");
  expect_refused(also({"--strategy", "data:4"}), "--strategy: exactly one axis grows");
}

TEST(BadInput, AModelFileThatBreaksOff) {
  const Scratch scratch;
  const std::string file = scratch.file("broken.json", "{\"name\": \"x\",\n \"layers\": [");
  const Outcome outcome = console({"plan", file.c_str(), "--cluster", "abci", "--gpus", "4"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("broken.json:2"), std::string::npos) << outcome.err;
}

TEST(BadInput, AModelFileAMillionLevelsDeep) {
  const Scratch scratch;
  const std::string file = scratch.file("deep.json", std::string(1'000'000, '['));
  const Outcome outcome = console({"plan", file.c_str(), "--cluster", "abci", "--gpus", "4"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("deep.json:1"), std::string::npos) << outcome.err;
}

TEST(BadInput, AModelFileThatIsNotThereIsTheSurroundingsFault) {
  const Outcome outcome = console({"show", "model", "/nonexistent/model.json"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("/nonexistent/model.json"), std::string::npos) << outcome.err;
}

}  // namespace bad_input_test
}  // namespace oracle::cli
