#include "validate/command/program.h"

#include <ostream>
#include <string_view>

#include "oracle/cli/commands/rows.h"
#include "validate/command/answers.h"

namespace oracle {
namespace {

cli::Command answered_here(cli::Command command,
                           cli::Answer (*answer)(const cli::Arguments&, const cli::Progress&)) {
  command.answer = answer;
  command.carried_out_by = {};
  command.answered_here = nullptr;
  return command;
}

}  // namespace

int run_validate(std::span<const char* const> args, std::ostream& out, std::ostream& err,
                 const cli::Terminal& terminal) {
  const std::string_view name = args.empty() ? std::string_view{} : args.front();
  if (name == cli::kValidateCommand.name) {
    const cli::Command command = answered_here(cli::kValidateCommand, answer_validate);
    return cli::run(command, args.subspan(1), out, err, terminal);
  }
  if (name == cli::kCompareCommand.name) {
    const cli::Command command = answered_here(cli::kCompareCommand, answer_compare);
    return cli::run(command, args.subspan(1), out, err, terminal);
  }
  err << "oracle-validate: carries out oracle validate and oracle compare; write one of them\n";
  return static_cast<int>(ExitCode::not_understood);
}

}  // namespace oracle
