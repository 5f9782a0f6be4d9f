#pragma once
// oracle-validate: `oracle validate` and `oracle compare`, from their words to the exit code
// (oracle/cli/run.h has them). It stands beside oracle, which becomes it.
//                                                       tests/validate/command/program_test.cpp

#include <iosfwd>
#include <span>

#include "oracle/cli/run.h"

namespace oracle {

/// `args`: the command's name and its words.
int run_validate(std::span<const char* const> args, std::ostream& out, std::ostream& err,
                 const cli::Terminal& terminal = {});

}  // namespace oracle
