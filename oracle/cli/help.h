#pragma once
// How is it used? Texts made from the tables of commands and options.   tests/cli/help_test.cpp

#include <string>

#include "oracle/cli/command.h"

namespace oracle::cli {

/// All commands on one screen, examples first.
std::string help_text();

/// One command with its options.
std::string help_text(const Command& command);

/// Version, commit, compiler, and which optional parts were found.
std::string version_text();

}  // namespace oracle::cli
