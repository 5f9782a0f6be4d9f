#pragma once
// Which checkpoints lie in a folder, and which of them is taken?
//
// "step-000000000012.safetensors" is the checkpoint behind step 12. A file is written under another
// name ("step-000000000012.safetensors.x7Kd2q") and renamed when it is whole, so what has that name
// is whole unless the medium lost some of it: then the one before it is taken. The two newest are
// kept.                                             tests/validate/checkpoint/folder_test.cpp

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "validate/checkpoint/checkpoint.h"

namespace oracle {

inline constexpr std::size_t kKeptCheckpoints = 2;

std::string checkpoint_name(std::int64_t step);

/// Steps of the files that have such a name, ascending. Throws EnvironmentError where the folder
/// cannot be listed.
std::vector<std::int64_t> checkpoints_in(const std::filesystem::path& folder);

struct FoundCheckpoint {
  CheckpointFile file;
  std::vector<std::string> refused;  ///< newer ones that are not whole, and why
};

/// The newest that is whole. Throws InputError where none is, EnvironmentError where there is no
/// such folder.
FoundCheckpoint newest_checkpoint(const std::filesystem::path& folder);

/// Writes a checkpoint of its step into the folder, which is made where there is none, and removes
/// what is older than those that are kept. Throws EnvironmentError.
void add_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint);

/// Removes what a run that was killed left half written.
void remove_halves(const std::filesystem::path& folder);

}  // namespace oracle
