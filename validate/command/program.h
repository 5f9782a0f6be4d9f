#pragma once
// `oracle validate` and `oracle compare`, from their words to the exit code (oracle/cli/run.h has
// them). oracle becomes oracle-train, which carries them out.
//                                                       tests/validate/command/program_test.cpp

#include <iosfwd>
#include <span>

#include "oracle/cli/run.h"

namespace oracle {

/// Whether the first of oracle-train's words is a command's name.
bool is_validate(std::span<const char* const> args);

/// `args`: the command's name and its words.
int run_validate(std::span<const char* const> args, std::ostream& out, std::ostream& err,
                 const cli::Terminal& terminal = {});

}  // namespace oracle
