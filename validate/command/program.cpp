#include "validate/command/program.h"

#include <ostream>

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

bool is_validate(std::span<const char* const> args) {
  return !args.empty() &&
         (args.front() == cli::kValidateCommand.name || args.front() == cli::kCompareCommand.name);
}

int run_validate(std::span<const char* const> args, std::ostream& out, std::ostream& err,
                 const cli::Terminal& terminal) {
  const cli::Command command = args.front() == cli::kValidateCommand.name
                                   ? answered_here(cli::kValidateCommand, answer_validate)
                                   : answered_here(cli::kCompareCommand, answer_compare);
  return cli::run(command, args.subspan(1), out, err, terminal);
}

}  // namespace oracle
