#pragma once
// Which words may stand where the cursor stands? Scripts for a shell, made from the tables of
// commands and options.
//
// Worked: after `oracle pl` the only word is `plan`                 tests/cli/completion_test.cpp

#include <string>
#include <string_view>

namespace oracle::cli {

/// The script for "bash" or "zsh"; throws InputError for another shell. Names of models, clusters
/// and devices are asked of the command when the user presses the key.
std::string completion_script(std::string_view shell);

}  // namespace oracle::cli
