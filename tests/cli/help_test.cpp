#include "oracle/cli/help.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

#include "oracle/cli/arguments.h"
#include "oracle/report/text.h"

namespace oracle::cli {
namespace help_test {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Help, FitsAScreen) {
  const std::vector<std::string> lines = lines_of(help_text());
  EXPECT_LE(lines.size(), 40U);
  for (const std::string& line : lines) EXPECT_LE(report::display_width(line), 100U) << line;
}

TEST(Help, FitsTheTerminalAndDefinesTheInterval) {
  for (const std::size_t width : {60U, 80U, 200U}) {
    for (const std::string& line : lines_of(help_text(width))) {
      if (line.starts_with("  oracle ")) continue;  // examples are typed as they stand
      EXPECT_LE(report::display_width(line), std::min<std::size_t>(width, 100)) << line;
    }
  }
  EXPECT_NE(help_text().find("± is half of a 90 % interval"), std::string::npos);
}

TEST(Help, ACommandNamesEveryOptionOfItsTables) {
  for (const Command* command : all_commands()) {
    const std::string text = help_text(*command);
    EXPECT_TRUE(text.starts_with("usage: oracle " + std::string(command->name))) << text;
    for_each_option(*command, [&](const Option& option) {
      EXPECT_NE(text.find("--" + std::string(option.name)), std::string::npos) << option.name;
    });
    for (const std::string& line : lines_of(text)) {
      EXPECT_LE(report::display_width(line), 100U) << line;
    }
  }
}

TEST(Help, AnExplanationHasMostOfTheLine) {
  for (const Command* command : all_commands()) {
    for (const std::string& line : lines_of(help_text(*command, 80))) {
      EXPECT_LE(line.find_first_not_of(' ') + 1, 32U) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

/// Splits a line as a shell would, double quotes included.
std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

TEST(Help, ExamplesAreUnderstood) {
  for (const Command* command : all_commands()) {
    for (const std::string_view example : command->examples) {
      const std::vector<std::string> words = split(example);
      ASSERT_EQ(words.front(), command->name);
      std::vector<const char*> args;
      for (std::size_t i = 1; i < words.size(); ++i) args.push_back(words[i].c_str());
      EXPECT_NO_THROW(Arguments(*command, args)) << example;
    }
  }
}

}  // namespace help_test
}  // namespace oracle::cli
