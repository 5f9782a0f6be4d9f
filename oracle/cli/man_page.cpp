#include "oracle/cli/man_page.h"

#include <string>
#include <string_view>

#include "oracle/build_info.h"
#include "oracle/cli/command.h"
#include "oracle/cli/help.h"

namespace oracle::cli {
namespace {

/// Text that troff takes for no request and no escape; its hyphens can be copied into a shell.
std::string plain(std::string_view text) {
  std::string result;
  if (text.starts_with('.') || text.starts_with('\'')) result = "\\&";
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string item(const std::string& lead, std::string_view text) {
  return ".TP\n" + lead + "\n" + plain(text) + "\n";
}

std::string option_item(const Option& option) {
  std::string lead = option.letter ? bold(std::string("-") + option.letter) + ", " : "";
  lead += bold("--" + std::string(option.name));
  if (!option.argument.empty()) lead += " " + italic(option.argument);
  return item(lead, std::string(option.text) + (option.required ? " (required)" : ""));
}

std::string synopsis(const Command& command) {
  std::string text = bold("oracle " + std::string(command.name));
  for (const std::string_view word : command.words) text += " " + italic(word);
  return text;
}

std::string command_section(const Command& command) {
  std::string text = ".SS " + synopsis(command) + "\n" + plain(command.text) + ".\n";
  for (const OptionGroup& group : command.groups) {
    if (!group.title.empty()) text += ".P\n" + italic(std::string(group.title) + ":") + "\n";
    for (const Option& option : group.options) text += option_item(option);
  }
  return text;
}

}  // namespace

std::string man_page() {
  std::string text = ".TH ORACLE 1 \"\" \"oracle " + std::string(build_info::kVersion) +
                     "\" \"User Commands\"\n.SH NAME\noracle \\- what does a training step of a "
                     "deep network cost on a cluster?\n.SH SYNOPSIS\n.nf\n";
  for (const Command* command : all_commands()) text += synopsis(*command) + " [options]\n";
  text += bold("oracle help") + " [" + italic("COMMAND") + "]\n" + bold("oracle completion") + " " +
          italic("bash|zsh") + "\n" + bold("oracle --version") + "\n.fi\n";
  text += ".SH DESCRIPTION\n" + plain(kPurpose) + "\n.SH COMMANDS\n";
  for (const Command* command : all_commands()) text += command_section(*command);
  text += ".SH INTERVALS\n" + plain(kIntervalMeaning) + "\n.SH EXIT STATUS\n" +
          item("0", "answered") + item("1", "infeasible: nothing fits, or profiles differ") +
          item("2", "usage error, or an input that contradicts itself") +
          item("3", "environment error: a file cannot be read or written, a library is missing") +
          item("70", "internal error");
  text += ".SH ENVIRONMENT\n" +
          item(bold("ORACLE_DATA"),
               "the folder that holds models/ and data/; without it, the nearest one above the "
               "program that does, its ../share/oracle, or oracle in a folder of XDG_DATA_DIRS") +
          item(bold("COLUMNS"),
               "the columns of a line; without it those of the terminal, or 80. A table that is "
               "wider wraps its words, then leaves out columns, which the line below it names: of "
               "a ranking exposed, samples/s, memory, limited by and ±, in this order. No word is "
               "cut") +
          item(bold("NO_COLOR"), "if not empty, no colour without --color always");
  text += ".SH EXAMPLES\n.nf\n";
  for (const Command* command : all_commands()) {
    for (const std::string_view example : command->examples) {
      text += plain("oracle " + std::string(example)) + "\n";
    }
  }
  return text + ".fi\n";
}

}  // namespace oracle::cli
