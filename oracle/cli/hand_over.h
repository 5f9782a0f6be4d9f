#pragma once
// How does a command answer that needs libraries which the engine is built without?
//
// A program beside the running one carries it out, with the words as they are: `oracle validate …`
// becomes `oracle-train validate …`, as git does it.                tests/cli/hand_over_test.cpp

#include <filesystem>
#include <span>

#include "oracle/cli/command.h"

namespace oracle::cli {

/// Becomes `folder`/command.carried_out_by with the command's name and `args`. Throws
/// EnvironmentError where that program is not there or cannot be started.
[[noreturn]] void hand_over(const Command& command, std::span<const char* const> args,
                            const std::filesystem::path& folder);

/// The folder of the running program.
std::filesystem::path program_folder();

}  // namespace oracle::cli
