#pragma once
// How is it used? Texts made from the tables of commands and options.   tests/cli/help_test.cpp

#include <cstddef>
#include <string>
#include <string_view>

#include "oracle/cli/command.h"

namespace oracle::cli {

inline constexpr std::string_view kPurpose =
    "oracle predicts what a training step of a deep network costs on a cluster: how long it takes, "
    "whether it fits, what limits it, and which parallelism strategy is best.";

/// What "±" says, wherever an answer has it.
inline constexpr std::string_view kIntervalMeaning =
    "± is half of a 90 % interval, as a share of the time: 93 ms ± 32 % says that nine of ten "
    "measurements are expected between 63 and 123 ms.";

/// The most columns of a line.
inline constexpr std::size_t kHelpWidth = 100;

/// All commands on one screen, examples first.
std::string help_text(std::size_t width = kHelpWidth);

/// One command with its options.
std::string help_text(const Command& command, std::size_t width = kHelpWidth);

/// Version, commit, compiler, and which optional parts were found, after the program's name.
std::string version_text(std::string_view program);

}  // namespace oracle::cli
