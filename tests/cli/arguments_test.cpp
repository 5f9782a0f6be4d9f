#include "oracle/cli/arguments.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle::cli {
namespace arguments_test {

Arguments parse(std::vector<const char*> args) { return Arguments(command_named("plan"), args); }

std::string complaint(std::vector<const char*> args) {
  try {
    parse(std::move(args));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Arguments, WordsAndOptionsInAnyOrder) {
  const Arguments arguments =
      parse({"--gpus", "4", "resnet50", "--cluster=abci", "-o", "file", "--format", "csv"});
  EXPECT_EQ(arguments.word(0), "resnet50");
  EXPECT_EQ(*arguments.find("gpus"), "4");
  EXPECT_EQ(*arguments.find("cluster"), "abci");
  EXPECT_EQ(*arguments.find("output"), "file");
  EXPECT_EQ(arguments.text("objective", "time"), "time");
  EXPECT_FALSE(arguments.has("top"));
}

TEST(Arguments, AValueMayBeginWithADash) {
  EXPECT_EQ(*parse({"resnet50", "--cluster", "abci", "--gpus", "-3"}).find("gpus"), "-3");
}

TEST(Arguments, ABeginningOfAnOptionIsNoOption) {
  EXPECT_EQ(complaint({"resnet50", "--cluster", "abci", "--gpu", "4"}),
            "plan: \"--gpu\" is not an option of this command; did you mean \"--gpus\"?");
}

TEST(Arguments, EveryProblemIsNamed) {
  EXPECT_EQ(complaint({}),
            "plan: takes MODEL, none given; see: oracle plan --help\n"
            "plan: --cluster is missing; write --cluster NAME\n"
            "plan: --gpus is missing; write --gpus N");
  EXPECT_EQ(complaint({"a", "b", "--cluster", "abci", "--gpus", "4", "--gpus", "5"}),
            "--gpus: is given twice; give it once");
  EXPECT_EQ(complaint({"a", "b", "--cluster", "abci", "--gpus", "4"}),
            "plan: \"b\" is one argument too many; see: oracle plan --help");
}

TEST(Arguments, OptionsOfSeveralValuesMayBeGivenSeveralTimes) {
  const std::vector<const char*> args = {"--from", "a.json,b.log", "--from=c.txt", "-o", "p.json"};
  const Arguments arguments(command_named("calibrate"), args);
  EXPECT_EQ(*arguments.find("from"), "a.json,b.log,c.txt");
  EXPECT_THROW(Arguments(command_named("calibrate"),
                         std::vector<const char*>{"-o", "p.json", "-o", "q.json"}),
               InputError);
}

TEST(Arguments, MissingAndSuperfluousValues) {
  EXPECT_EQ(complaint({"a", "--cluster", "abci", "--gpus"}),
            "--gpus: has no value; write --gpus N");
  EXPECT_EQ(complaint({"a", "--cluster", "abci", "--gpus="}),
            "--gpus: has no value; write --gpus N");
  EXPECT_EQ(complaint({"a", "--help=yes"}), "--help: takes no value; write --help");
}

}  // namespace arguments_test
}  // namespace oracle::cli
