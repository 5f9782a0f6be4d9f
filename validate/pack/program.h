#pragma once
// oracle-pack: writes the images of a folder (or of CIFAR-10) into one record file.
//                                                         tests/validate/pack/program_test.cpp

#include <iosfwd>
#include <span>

namespace oracle {

/// `args` without the program's name. Returns the exit code (oracle/cli/run.h).
int run_pack(std::span<const char* const> args, std::ostream& out, std::ostream& err);

}  // namespace oracle
