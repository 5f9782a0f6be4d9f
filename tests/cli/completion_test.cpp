#include "oracle/cli/completion.h"

#include <gtest/gtest.h>

#include "oracle/cli/command.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace completion_test {

TEST(Completion, KnowsEveryCommandAndOption) {
  for (const std::string shell : {"bash", "zsh"}) {
    const std::string script = completion_script(shell);
    for (const Command* command : all_commands()) {
      EXPECT_NE(script.find("    " + std::string(command->name) + ")\n"), std::string::npos)
          << shell << " " << command->name;
      for_each_option(*command, [&](const Option& option) {
        EXPECT_NE(script.find("--" + std::string(option.name)), std::string::npos)
            << shell << " --" << option.name;
      });
    }
  }
}

TEST(Completion, OffersTheChoicesOfAnOption) {
  for (const char* formats : {"table json csv", "table json csv trace", "table json csv report"}) {
    const std::string choices(formats);
    EXPECT_NE(completion_script("bash").find("--format) _oracle_choices " + choices + " ;;"),
              std::string::npos);
    EXPECT_NE(completion_script("zsh").find(":(" + choices + ")'"), std::string::npos);
  }
}

TEST(Completion, IsAnAnswerOfTheCommand) {
  const Outcome outcome = console({"completion", "bash"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, completion_script("bash"));
  EXPECT_EQ(outcome.err, "");
}

TEST(Completion, RefusesOtherShellsAndNone) {
  const Outcome other = console({"completion", "zhs"});
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.err,
            "oracle: completion: \"zhs\" is not a shell known here; did you mean \"zsh\"?\n");
  EXPECT_EQ(console({"completion"}).code, 2);
  EXPECT_EQ(console({"completion", "bash", "zsh"}).code, 2);
}

}  // namespace completion_test
}  // namespace oracle::cli
