#pragma once
// How often does the machine fail, and what does a checkpoint take?
//
// --mtbf is of the largest count; a checkpoint's time follows from its bytes and --checkpoint-rate,
// the storage that --storage names, or the rate that the profile measured. Asynchronous, training
// waits for a copy in the host's memory alone: 12 GB/s, what a copy over PCIe 3.0 x16 reaches
// (bandwidthTest of NVIDIA's CUDA samples).                   tests/cli/failure_options_test.cpp

#include <array>
#include <optional>

#include "oracle/cli/arguments.h"
#include "oracle/cli/problem_list.h"
#include "oracle/cluster/profile.h"
#include "oracle/search/budget.h"

namespace oracle::cli {

extern const std::array<Option, 6> kFailureOptions;

/// What the options say by themselves.
struct FailureOptions {
  std::optional<Seconds> mtbf{}, restart{};
  std::optional<Bandwidth> rate{};
  std::optional<std::int64_t> every{};  ///< absent: auto
  bool asynchronous = false;
  Bandwidth snapshot{12e9};  ///< of a rank's copy to memory
  bool asked = false;
};

FailureOptions read_failures(const Arguments& arguments, ProblemList& problems);

/// What a checkpoint has: all of it, and the largest part that a rank copies to memory.
struct CheckpointSize {
  Bytes all, of_rank;
};

/// Of `ranks` ranks; nothing where none was asked for. Throws InputError where no rate is known.
std::optional<FailureRequest> failures_of(const FailureOptions& options, const CheckpointSize& size,
                                          const StorageSystem* storage, const Profile& profile,
                                          std::int64_t ranks);

}  // namespace oracle::cli
