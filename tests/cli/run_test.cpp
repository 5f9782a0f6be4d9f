#include "oracle/cli/run.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/cli/command.h"
#include "oracle/cli/help.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace cli_run_test {

TEST(Run, HelpIsAnAnswer) {
  for (const std::vector<const char*>& args :
       {std::vector{"--help"}, std::vector{"-h"}, std::vector{"help"}}) {
    const Outcome outcome = console(args);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.out.find("oracle plan resnet50 --cluster abci --gpus 64"), std::string::npos);
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(Run, NothingAskedIsNotUnderstood) {
  const Outcome outcome = console({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("commands"), std::string::npos);
}

TEST(Run, AMisspeltCommandIsSuggested) {
  const Outcome outcome = console({"estmate"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "oracle: \"estmate\" is not a command; did you mean \"estimate\"?\n");
  EXPECT_EQ(console({"help", "estmate"}).code, 2);
}

TEST(Run, AnOptionBeforeTheCommandIsExplained) {
  const Outcome outcome = console({"--gpus", "4", "plan"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err,
            "oracle: \"--gpus\" stands before the command; write the command first, or see: oracle "
            "--help\n");
}

TEST(Run, TheVersionNamesCommitCompilerAndParts) {
  const Outcome outcome = console({"--version"});
  EXPECT_EQ(console({"-v"}).out, outcome.out);
  EXPECT_EQ(outcome.code, 0);
  for (const char* word : {"oracle ", "commit ", "built by ", "optional parts: ", "MPI "}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  }
}

TEST(Run, TheFormOfTheAnswerIsCheckedFirst) {
  const Outcome outcome =
      console({"list", "strategies", "--format", "jsn", "--color", "red", "-o", ""});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err,
            "oracle: --format: \"jsn\" is not a format of oracle list; did you mean \"json\"?\n"
            "oracle: --color: \"red\" is not a choice; known: auto, always, never\n"
            "oracle: --output: names no file; write --output FILE\n");
}

TEST(Run, ColorIsForTerminalsOnly) {
  const std::vector<const char*> list = {"list", "strategies"};
  const auto colored = [](const Outcome& outcome) {
    return outcome.out.find('\033') != std::string::npos;
  };
  EXPECT_FALSE(colored(console(list)));
  EXPECT_TRUE(colored(console(list, {.out = true})));
  EXPECT_FALSE(colored(console(list, {.out = true, .no_color = true})));
  EXPECT_TRUE(colored(console({"list", "strategies", "--color", "always"}, {.no_color = true})));
  EXPECT_FALSE(colored(console({"list", "strategies", "--color", "never"}, {.out = true})));
}

TEST(Run, AnAnswerInAFileLeavesTheStreamEmpty) {
  const Scratch scratch;
  const std::string file = scratch.path("list.csv").string();
  const Outcome outcome =
      console({"list", "strategies", "--format", "csv", "-o", file.c_str()}, {.out = true});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(Scratch::read(file).starts_with("name,limit,text\r\ndata,"));
}

TEST(Run, AFileThatCannotBeWrittenIsTheSurroundingsFault) {
  const Outcome outcome = console({"list", "strategies", "-o", "/nonexistent/list"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.err, "oracle: cannot write /nonexistent/list: No such file or directory\n");
}

TEST(Run, AStreamThatCannotBeWrittenIsTheSurroundingsFault) {
  std::ofstream full("/dev/full");
  std::ostringstream err;
  const std::vector<const char*> args = {"list", "strategies"};
  EXPECT_EQ(run(args, full, err), 3);
  EXPECT_EQ(err.str(), "oracle: cannot write the answer: No space left on device\n");
}

TEST(Run, AProgramOfOneCommandMeansTheSameByItsExitCodes) {
  std::ostringstream out;
  const auto code_of = [&](const std::vector<const char*>& args, const auto& answer,
                           std::string& err_text) {
    std::ostringstream err;
    const int code = run_program(command_named("list"), args, out, err, answer);
    err_text = err.str();
    return code;
  };
  std::string err;
  const auto never = []() -> ExitCode { throw Defect("help was asked for"); };
  EXPECT_EQ(code_of({"--help"}, never, err), 0);
  out.str("");
  EXPECT_EQ(code_of({"--version"}, never, err), 0);
  EXPECT_EQ(out.str(), version_text("oracle"));
  EXPECT_EQ(code_of(
                {}, [] { return ExitCode::no; }, err),
            1);
  EXPECT_EQ(code_of(
                {}, []() -> ExitCode { throw InputError("--x", "is wrong"); }, err),
            2);
  EXPECT_EQ(err, "oracle: --x: is wrong\n");
  EXPECT_EQ(code_of(
                {}, []() -> ExitCode { throw EnvironmentError("no disk"); }, err),
            3);
  EXPECT_EQ(err, "oracle: no disk\n");
  EXPECT_EQ(code_of(
                {}, []() -> ExitCode { throw Defect("broken"); }, err),
            70);
}

}  // namespace cli_run_test
}  // namespace oracle::cli
