#pragma once
// oracle-trials, from its words to the exit code.       tests/validate/trials/trials_test.cpp

#include <iosfwd>
#include <span>

namespace oracle {

int run_trials_program(std::span<const char* const> args, std::ostream& out, std::ostream& err);

}  // namespace oracle
