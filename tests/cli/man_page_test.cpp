#include "oracle/cli/man_page.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string_view>

#include "oracle/cli/command.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace man_page_test {

/// As a reader sees it: without escapes for fonts and hyphens.
std::string shown(const std::string& page) {
  std::string text;
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (page[i] != '\\') {
      text += page[i];
    } else if (page[++i] == 'f') {
      ++i;
    } else if (page[i] != '&') {
      text += page[i] == 'e' ? '\\' : page[i];
    }
  }
  return text;
}

TEST(ManPage, DefinesTheIntervalAndTheOrderOfColumns) {
  const std::string page = shown(man_page());
  EXPECT_NE(page.find("± is half of a 90 % interval"), std::string::npos);
  EXPECT_NE(page.find("exposed, samples/s, memory, limited by and ±, in this order"),
            std::string::npos);
}

TEST(ManPage, HoldsEveryCommandOptionAndExample) {
  const std::string page = shown(man_page());
  for (const Command* command : all_commands()) {
    const auto holds = [&](const std::string& text) {
      EXPECT_NE(page.find(text), std::string::npos) << text;
    };
    holds(".SS oracle " + std::string(command->name));
    for_each_option(*command, [&](const Option& option) {
      holds("--" + std::string(option.name));
      holds("\n" + std::string(option.text));
    });
    for (const std::string_view example : command->examples)
      holds("oracle " + std::string(example));
  }
}

TEST(ManPage, BeginsNoLineWithAnUnknownRequest) {
  const std::string page = man_page();
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('.') && !line.starts_with('\'')) continue;
    const std::string request = line.substr(0, line.find(' '));
    EXPECT_TRUE(request == ".TH" || request == ".SH" || request == ".SS" || request == ".TP" ||
                request == ".P" || request == ".nf" || request == ".fi")
        << line;
  }
}

TEST(ManPage, IsAnAnswerOfTheCommand) {
  const Outcome outcome = console({"help", "--man"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, man_page());
}

}  // namespace man_page_test
}  // namespace oracle::cli
