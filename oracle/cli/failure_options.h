#pragma once
// How often does the machine fail, and what does a checkpoint take?
//
// --mtbf is of the largest count; a checkpoint's time follows from its bytes and --checkpoint-rate,
// or the rate that the profile measured.                      tests/cli/failure_options_test.cpp

#include <array>
#include <optional>

#include "oracle/cli/arguments.h"
#include "oracle/cli/problem_list.h"
#include "oracle/cluster/profile.h"
#include "oracle/search/budget.h"

namespace oracle::cli {

extern const std::array<Option, 4> kFailureOptions;

/// What the options say by themselves.
struct FailureOptions {
  std::optional<Seconds> mtbf{}, restart{};
  std::optional<Bandwidth> rate{};
  std::optional<std::int64_t> every{};  ///< absent: auto
  bool asked = false;
};

FailureOptions read_failures(const Arguments& arguments, ProblemList& problems);

/// Of `ranks` ranks; nothing where none was asked for. A checkpoint has so many `bytes`. Throws
/// InputError where no rate is known.
std::optional<FailureRequest> failures_of(const FailureOptions& options, Bytes bytes,
                                          const Profile& profile, std::int64_t ranks);

}  // namespace oracle::cli
