#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace framework_options_test {

bool holds(std::vector<const char*> words, const char* line) {
  words.insert(words.end(), {"--framework", "chainer", "--cluster", "abci"});
  return console(words).out.find(line) != std::string::npos;
}

constexpr const char* kAfter = "exchanged after backward";
constexpr const char* kDuring = "exchanged during backward";

/// Chainer exchanges gradients after backward: data/frameworks/chainer.json.
TEST(FrameworkOptions, HoldUnlessOthersAreAskedFor) {
  EXPECT_TRUE(holds({"estimate", "alexnet", "--strategy", "data:4"}, kAfter));
  EXPECT_TRUE(holds({"estimate", "alexnet", "--strategy", "data:4; overlap=on"}, kDuring));
  EXPECT_TRUE(holds({"plan", "alexnet", "--gpus", "4", "--axes", "data"}, kAfter));
  EXPECT_TRUE(
      holds({"plan", "alexnet", "--gpus", "4", "--axes", "data", "--with", "overlap=on"}, kDuring));
}

TEST(FrameworkOptions, HoldWhereOneScales) {
  EXPECT_TRUE(holds({"scale", "alexnet", "--gpus", "2,4"}, "overlap=off"));
}

std::string memory_of(std::vector<const char*> words) {
  words.insert(words.begin(),
               {"estimate", "gpt_tiny", "--cluster", "dgx-h100", "--strategy", "data:8; zero=1",
                "--precision", "bf16", "--optimizer", "adam", "--memory"});
  std::string out = console(words).out;
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

TEST(FrameworkOptions, FormatsOfStateAreItsOwnUnlessAskedFor) {
  const auto says = [](const std::string& answer, const char* what) {
    return answer.find(what) != std::string::npos;
  };
  EXPECT_TRUE(says(memory_of({}), "16 B: weights 4, gradients 4, moments 8"));
  EXPECT_TRUE(
      says(memory_of({"--framework", "megatron"}), "18 B: weights 2, gradients 4, master copy 4,"));
  const std::string narrow =
      memory_of({"--framework", "megatron", "--gradients", "bf16", "--master", "none"});
  EXPECT_TRUE(says(narrow, "12 B: weights 2, gradients 2, moments 8"));
  EXPECT_TRUE(says(narrow, "adam, 12 B per parameter"));
}

TEST(FrameworkOptions, FormatsOfStateThatAreNoneAreRefused) {
  const auto errors = [](std::vector<const char*> words) {
    words.insert(words.begin(),
                 {"estimate", "gpt_tiny", "--cluster", "dgx-h100", "--strategy", "data:8"});
    return console(words).err;
  };
  EXPECT_NE(errors({"--gradients", "fp33"}).find("--gradients"), std::string::npos);
  EXPECT_NE(errors({"--master", "fp32"}).find("weights of fp32 have no copy"), std::string::npos);
}

/// Of a small batch the host's launches are the step, and replayed there are none.
TEST(FrameworkOptions, AGraphIsLaunchedByNoHost) {
  const auto answer = [](std::vector<const char*> words) {
    words.insert(words.begin(), {"estimate", "resnet50", "--strategy", "serial", "--batch", "4"});
    return console(words);
  };
  const Outcome eager = answer({"--cluster", "1x1xa100-sxm4-80gb", "--format", "json"});
  const Outcome graph = answer({"--cluster", "1x1xa100-sxm4-80gb", "--graph", "--format", "json"});
  const auto step = [](const Outcome& outcome) {
    return nlohmann::ordered_json::parse(outcome.out)["step_time"]["value"].get<double>();
  };
  EXPECT_LT(step(graph), 0.7 * step(eager));
  EXPECT_NE(graph.out.find("replayed from a CUDA graph"), std::string::npos);
  const Outcome processor = answer({"--cluster", "xeon-ethernet", "--graph"});
  EXPECT_EQ(processor.code, 2);
  EXPECT_NE(processor.err.find("--graph: device xeon-gold-6148 replays no kernels"),
            std::string::npos);
}

}  // namespace framework_options_test
}  // namespace oracle::cli
