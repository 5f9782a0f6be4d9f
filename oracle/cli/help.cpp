#include "oracle/cli/help.h"

#include <algorithm>
#include <string>

#include "oracle/build_info.h"
#include "oracle/report/text.h"

namespace oracle::cli {
namespace {

constexpr std::string_view kExitCodes =
    "Exit codes: 0 answered, 1 infeasible (nothing fits), 2 usage error, 3 environment error, 70 "
    "internal error. Answers go to standard output, everything else to standard error.";

/// `--output FILE, -o`
std::string name_of(const Option& option) {
  std::string text = option.letter ? std::string("-") + option.letter + ", " : "";
  text += "--" + std::string(option.name);
  if (!option.argument.empty()) text += " " + std::string(option.argument);
  return text;
}

/// The most columns of an option before its explanation.
constexpr std::size_t kMostLead = 26;

/// `lead` and its explanation, whose later lines stay in its column; all of them below a long lead.
std::string entry(const std::string& lead, std::size_t column, std::string_view text,
                  std::size_t width) {
  const bool is_long = report::display_width(lead) > column;
  std::string result = "  " + (is_long ? lead + "\n" : report::padded(lead, column, false));
  const std::string below(column + 4, ' ');
  bool first = !is_long;
  for (const std::string& line : report::wrapped(text, width - std::min(width, column + 4))) {
    result += (first ? "  " : below) + line + "\n";
    first = false;
  }
  return result;
}

std::string usage(const Command& command, std::size_t width) {
  std::string text = "usage: " + called(command);
  for (const std::string_view word : command.words) text += " " + std::string(word);
  for_each_option(command, [&](const Option& option) {
    if (option.required) text += " " + name_of(option);
  });
  std::string lines;
  for (const std::string& line : report::wrapped(text + " [options]", width)) lines += line + "\n";
  return lines;
}

std::string examples(const Command& command, std::size_t most) {
  std::string text;
  for (const std::string_view example :
       command.examples.first(std::min(most, command.examples.size()))) {
    text += "  " + std::string(command.program) + " " + std::string(example) + "\n";
  }
  return text;
}

}  // namespace

std::string help_text(std::size_t width) {
  width = std::min(width, kHelpWidth);
  std::string text;
  for (const std::string& line : report::wrapped(kPurpose, width)) text += line + "\n";
  text += "\n";
  for (const Command* command : all_commands()) {
    // One that is the name alone says nothing more than its line below.
    if (command->examples.front() != command->name) text += examples(*command, 1);
  }
  text += "\ncommands\n";
  for (const Command* command : all_commands()) {
    text += entry(std::string(command->name), 10, command->text, width);
  }
  text += entry("help", 10, "this text, or that of a command: oracle help plan", width);
  text += entry("completion", 10, "of commands and names in bash or zsh: oracle completion bash",
                width);
  text += entry("--version", 10, "or -v: version, commit, compiler and optional parts", width);
  for (const std::string_view paragraph : {kIntervalMeaning, kExitCodes}) {
    text += "\n";
    for (const std::string& line : report::wrapped(paragraph, width)) text += line + "\n";
  }
  return text;
}

std::string help_text(const Command& command, std::size_t width) {
  width = std::min(width, kHelpWidth);
  std::string text = usage(command, width) + "\n" + std::string(command.text) + "\n\n" +
                     examples(command, command.examples.size());
  std::size_t column = 0;
  for_each_option(command, [&](const Option& option) {
    column = std::max(column, report::display_width(name_of(option)));
  });
  column = std::min(column, kMostLead);
  for (const OptionGroup& group : command.groups) {
    if (!group.title.empty()) text += "\n" + std::string(group.title) + "\n";
    for (const Option& option : group.options)
      text += entry(name_of(option), column, option.text, width);
  }
  return text;
}

std::string version_text(std::string_view program) {
  std::string text = std::string(program) + " " + std::string(build_info::kVersion) + " (commit " +
                     std::string(build_info::kCommit) + ")\n" + "built by " +
                     std::string(build_info::kCompiler) + ", " +
                     std::string(build_info::kBuildType) + "\n" + "optional parts:";
  for (const auto& part : build_info::kOptionalParts) {
    text += " " + std::string(part.name) + " " +
            (part.version.empty() ? "absent" : std::string(part.version)) + ",";
  }
  text.back() = '\n';
  return text;
}

}  // namespace oracle::cli
