#pragma once
// Which trials are trained, and how far?                      tests/cli/trials_test.cpp

#include <array>

#include "oracle/budget/trials.h"
#include "oracle/cli/arguments.h"
#include "oracle/cli/problem_list.h"

namespace oracle::cli {

extern const std::array<Option, 4> kTrialOptions;

TrialSearch read_trials(const Arguments& arguments, ProblemList& problems);

}  // namespace oracle::cli
