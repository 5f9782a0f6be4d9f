#include "oracle/cli/run.h"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/whole_file.h"
#include "oracle/cli/arguments.h"
#include "oracle/cli/command.h"
#include "oracle/cli/completion.h"
#include "oracle/cli/hand_over.h"
#include "oracle/cli/help.h"
#include "oracle/cli/man_page.h"
#include "oracle/cli/output.h"
#include "oracle/cli/provenance.h"
#include "oracle/cli/request.h"
#include "oracle/report/format/format.h"

namespace oracle::cli {
namespace {

using Words = std::span<const char* const>;

bool asks_for_help(Words args) {
  for (const std::string_view word : args) {
    if (word == "--") return false;
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

enum class Color : std::uint8_t { automatic, always, never };
constexpr std::array<std::pair<std::string_view, Color>, 3> kColors = {
    {{"auto", Color::automatic}, {"always", Color::always}, {"never", Color::never}}};

/// How the answer is to be written. Read before it is computed, so that a misspelt format costs no
/// search.
struct OutputRequest {
  const report::Format* format = nullptr;
  const std::string* file = nullptr;  ///< null: the stream
  report::Style style;
};

/// The formats of the command's answers, as its option lists them: "table|json|csv".
std::vector<std::string> formats_of(const Command& command) {
  std::vector<std::string> names(1);
  for_each_option(command, [&](const Option& option) {
    if (option.name != "format") return;
    for (const char c : option.argument) {
      if (c == '|') {
        names.emplace_back();
      } else {
        names.back() += c;
      }
    }
  });
  return names;
}

const report::Format& read_format(const Command& command, const std::string& name) {
  const std::vector<std::string> known = formats_of(command);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw InputError("--format", in_quotes(name) + " is not a format of " + called(command),
                     suggestion(name, known));
  }
  return report::format_named(name);
}

OutputRequest read_output(const Command& command, const Arguments& arguments,
                          const Terminal& terminal) {
  ProblemList problems;
  OutputRequest request;
  const auto format = problems.attempt(
      "--format", [&] { return &read_format(command, arguments.text("format", "table")); });
  const Color color = read_choice(arguments, "color", kColors, problems);
  request.file = arguments.find("output");
  if (request.file && request.file->empty()) {
    problems.add("--output", "names no file", "write --output FILE");
  }
  problems.raise();
  if (request.file && *request.file == "-") request.file = nullptr;
  if (request.file) require_writable(*request.file);
  request.format = *format;
  const bool plain = request.file || !terminal.out || terminal.no_color;
  request.style.width = terminal.width;
  request.style.color = color == Color::always || (color == Color::automatic && !plain);
  return request;
}

ExitCode answer(const Command& command, Words args, std::ostream& out, std::ostream& err,
                const Terminal& terminal) {
  if (asks_for_help(args)) {
    write_stream(out, help_text(command, terminal.width));
    return ExitCode::answered;
  }
  const Arguments arguments(command, args);
  const OutputRequest request = read_output(command, arguments, terminal);
  const bool here = command.answered_here != nullptr && command.answered_here(arguments);
  if (!command.carried_out_by.empty() && !here) hand_over(command, args, program_folder());
  Answer answer = command.answer(arguments, {terminal.err ? &err : nullptr, terminal.width});
  std::vector<report::Section>& sections = answer.document.sections;
  sections.insert(sections.begin(), {answered_by(), asked(command, arguments)});
  std::ostringstream text;
  request.format->write(answer.document, request.style, text);
  if (request.file) {
    write_file(*request.file, text.view());
  } else {
    write_stream(out, text.view());
  }
  if (answer.code == ExitCode::no && (request.file || request.format->name != "table")) {
    err << "oracle: " << answer.document.headline << '\n';
  }
  return answer.code;
}

ExitCode dispatch(Words args, std::ostream& out, std::ostream& err, const Terminal& terminal) {
  if (args.empty()) {
    err << help_text(terminal.width);
    return ExitCode::not_understood;
  }
  const std::string_view first = args.front();
  const Words rest = args.subspan(1);
  if (first == "--version" || first == "-v") {
    write_stream(out, version_text("oracle"));
  } else if (first == "--help" || first == "-h" || (first == "help" && rest.empty())) {
    write_stream(out, help_text(terminal.width));
  } else if (first == "help" && std::string_view(rest.front()) == "--man") {
    write_stream(out, man_page());
  } else if (first == "help") {
    write_stream(out, help_text(command_named(rest.front()), terminal.width));
  } else if (first == "completion") {
    if (rest.size() != 1) {
      throw InputError("completion", "takes the name of one shell",
                       "write: oracle completion bash, or: oracle completion zsh");
    }
    write_stream(out, completion_script(rest.front()));
  } else if (first.starts_with('-')) {
    throw InputError("", in_quotes(first) + " stands before the command",
                     "write the command first, or see: oracle --help");
  } else {
    return answer(command_named(first), rest, out, err, terminal);
  }
  return ExitCode::answered;
}

/// What `respond` returns or, where it throws, what that means; says so on `err`.
template <typename Respond>
int exit_code_of(std::string_view program, std::ostream& err, const Respond& respond) {
  ExitCode code = ExitCode::defect;
  try {
    code = respond();
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) {
      err << program << ": " << printable(to_text(problem)) << '\n';
    }
    code = ExitCode::not_understood;
  } catch (const EnvironmentError& error) {
    err << program << ": " << error.what() << '\n';
    code = ExitCode::surroundings;
  } catch (const std::bad_alloc&) {
    err << program
        << ": this machine has too little memory for this; ask for less, such as fewer GPUs\n";
    code = ExitCode::surroundings;
  } catch (const std::exception& error) {
    err << program << ": internal error; please report it with the command line: " << error.what()
        << '\n';
  }
  return static_cast<int>(code);
}

}  // namespace

int run(Words args, std::ostream& out, std::ostream& err, const Terminal& terminal) {
  return exit_code_of("oracle", err, [&] { return dispatch(args, out, err, terminal); });
}

int run(const Command& command, Words args, std::ostream& out, std::ostream& err,
        const Terminal& terminal) {
  return exit_code_of("oracle", err, [&] { return answer(command, args, out, err, terminal); });
}

int run_program(const Command& command, Words args, std::ostream& out, std::ostream& err,
                const std::function<ExitCode()>& answer) {
  return exit_code_of(command.program, err, [&] {
    if (asks_for_help(args)) {
      write_stream(out, help_text(command));
    } else if (!args.empty() && std::string_view(args.front()) == "--version") {
      write_stream(out, version_text(command.program));
    } else {
      return answer();
    }
    return ExitCode::answered;
  });
}

}  // namespace oracle::cli
