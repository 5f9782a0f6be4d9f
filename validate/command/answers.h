#pragma once
// How do the two commands answer?                       tests/validate/command/program_test.cpp

#include "oracle/cli/arguments.h"
#include "oracle/cli/command.h"

namespace oracle {

/// Predicts, starts the ranks, and compares what they leave behind with the prediction.
cli::Answer answer_validate(const cli::Arguments& arguments, const cli::Progress& progress);

cli::Answer answer_compare(const cli::Arguments& arguments, const cli::Progress& progress);

/// The words of oracle-train that mean the same as those of `oracle validate`, without --out.
std::vector<std::string> train_words(const cli::Arguments& arguments);

}  // namespace oracle
