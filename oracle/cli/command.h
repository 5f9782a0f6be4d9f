#pragma once
// Which commands and options are there?
//
// Commands and options are rows of tables: the parser, the help texts and the suggestions for
// misspelt names read the same rows.

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "oracle/cli/run.h"
#include "oracle/report/document.h"

namespace oracle::cli {

struct Option {
  std::string_view name;      ///< without dashes
  std::string_view argument;  ///< name of its value; empty: it has none; "FILE,…": several
  std::string_view text;
  bool required = false;
  char letter = 0;  ///< short form, 0: none
};

struct OptionGroup {
  std::string_view title;
  std::span<const Option> options;
};

class Arguments;

/// Who reads: what a command says while it works, and how wide its drawings may be.
struct Progress {
  std::ostream* err = nullptr;  ///< null: no one watches
  std::size_t columns = 100;
};

struct Answer {
  report::Document document;
  ExitCode code = ExitCode::answered;
};

struct Command {
  std::string_view name;
  std::span<const std::string_view> words;  ///< what it takes besides options: "MODEL"
  std::string_view text;                    ///< one line
  std::span<const std::string_view> examples;
  std::span<const OptionGroup> groups;
  Answer (*answer)(const Arguments& arguments, const Progress& progress);
  std::string_view program = "oracle";
  /// Of a command that this program knows, but does not answer: the program beside it that does.
  std::string_view carried_out_by{};
  /// Whether this program answers these words all the same; null: none. Throws InputError.
  bool (*answered_here)(const Arguments& arguments) = nullptr;
};

/// As it is typed: "oracle plan"; of a program that is one command, its name is empty.
std::string called(const Command& command);

/// In the order in which help lists them.
std::span<const Command* const> all_commands();

/// Throws InputError with a suggestion.
const Command& command_named(std::string_view name);

/// Calls `visit` for each option of the command.
void for_each_option(const Command& command, const std::function<void(const Option&)>& visit);

}  // namespace oracle::cli
