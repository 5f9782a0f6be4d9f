#pragma once
// What was asked of oracle-trials?                    tests/validate/trials/trials_test.cpp

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "oracle/base/cost.h"
#include "oracle/budget/trials.h"
#include "oracle/cli/command.h"

namespace oracle {

struct TrialsRequest {
  TrialSearch search;
  std::int64_t places = 1;               ///< trials at a time
  std::int64_t steps = 81;               ///< of a whole training
  double least_rate = 0, most_rate = 0;  ///< learning rates that are tried
  std::vector<std::string> words;        ///< of oracle-train, the same for all trials
  Cost step{};                           ///< predicted
  std::string subject;                   ///< what is trained, in one line
};

const cli::Command& trials_command();

/// Throws InputError with every problem.
TrialsRequest read_trials_request(std::span<const char* const> args);

/// Learning rates lie evenly over the logarithms of the range, however many are tried: by the
/// digits of the trial's number in base 2, mirrored (van der Corput).
double rate_of(const TrialsRequest& request, std::int64_t trial);

/// The step of training at which a run ends.
std::int64_t step_at(const TrialsRequest& request, double part);

}  // namespace oracle
