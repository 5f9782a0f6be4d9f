#pragma once
// oracle-bench-input: how fast are samples read and decoded here, and checkpoints written?
// (microbench/storage/README.md)
//                                                  tests/validate/input_bench/program_test.cpp

#include <iosfwd>
#include <span>

namespace oracle {

/// `args` without the program's name; on `out` only help. Returns the exit code (oracle/cli/run.h).
int run_input_bench(std::span<const char* const> args, std::ostream& out, std::ostream& err);

}  // namespace oracle
