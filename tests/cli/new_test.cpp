#include <gtest/gtest.h>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace new_test {

TEST(New, ATemplateIsReadBack) {
  const Scratch scratch;
  const std::string cluster = scratch.path("mine.json").string();
  const Outcome outcome = console({"new", "cluster", cluster.c_str()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("edit it, then"), std::string::npos) << outcome.out;
  EXPECT_EQ(console({"show", "cluster", cluster.c_str()}).code, 0);
  EXPECT_EQ(console({"plan", "alexnet", "--cluster", cluster.c_str(), "--gpus", "16"}).code, 0);
  const std::string device = scratch.path("gpu.json").string();
  EXPECT_EQ(console({"new", "device", device.c_str()}).code, 0);
  EXPECT_EQ(console({"show", "device", device.c_str()}).code, 0);
  const std::string line = "2x8x" + device + ",net=200Gb/s";
  const Outcome plan = console({"plan", "alexnet", "--cluster", line.c_str(), "--gpus", "16"});
  EXPECT_EQ(plan.code, 0) << plan.err;
}

TEST(New, NothingIsOverwritten) {
  const Scratch scratch;
  const std::string file = scratch.file("mine.json", "mine");
  const Outcome outcome = console({"new", "cluster", file.c_str()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("is there already"), std::string::npos) << outcome.err;
  EXPECT_EQ(Scratch::read(file), "mine");
}

TEST(New, OtherNamesAreSuggested) {
  const Outcome outcome = console({"new", "clster", "mine.json"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("did you mean \"cluster\"?"), std::string::npos) << outcome.err;
  EXPECT_NE(console({"new", "cluster", "mine"}).err.find("write mine.json"), std::string::npos);
}

}  // namespace new_test
}  // namespace oracle::cli
