#pragma once
// The program oracle-bench-step: exit code 1 where a bar is missed.

#include <iosfwd>
#include <span>

namespace oracle {

/// `args` without the program's name. Returns the exit code.
int run_step_bench(std::span<const char* const> args, std::ostream& out, std::ostream& err);

}  // namespace oracle
