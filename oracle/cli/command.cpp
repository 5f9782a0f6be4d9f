#include "oracle/cli/command.h"

#include <array>
#include <string>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/cli/commands/rows.h"

namespace oracle::cli {
namespace {

constexpr std::array<const Command*, 14> kCommands = {
    &kPlanCommand,     &kEstimateCommand, &kJobCommand,     &kScaleCommand,    &kBudgetCommand,
    &kTrialsCommand,   &kListCommand,     &kShowCommand,    &kNewCommand,      &kAccuracyCommand,
    &kValidateCommand, &kCompareCommand,  &kInspectCommand, &kCalibrateCommand};

}  // namespace

std::span<const Command* const> all_commands() { return kCommands; }

const Command& command_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Command* command : kCommands) {
    if (command->name == name) return *command;
    names.emplace_back(command->name);
  }
  throw InputError("", in_quotes(name) + " is not a command", suggestion(name, names));
}

std::string called(const Command& command) {
  std::string text(command.program);
  if (!command.name.empty()) text += " " + std::string(command.name);
  return text;
}

void for_each_option(const Command& command, const std::function<void(const Option&)>& visit) {
  for (const OptionGroup& group : command.groups) {
    for (const Option& option : group.options) visit(option);
  }
}

}  // namespace oracle::cli
