#include <gtest/gtest.h>
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

}  // namespace framework_options_test
}  // namespace oracle::cli
