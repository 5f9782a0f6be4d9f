#pragma once
// From which checkpoint does a run go on?                  tests/validate/train/resume_test.cpp

#include <iosfwd>
#include <optional>
#include <string_view>

#include "microbench/comm/communicator.h"
#include "validate/checkpoint/folder.h"
#include "validate/train/request.h"

namespace oracle {

/// The newest whole one that --resume names; nothing where it is left out. Throws InputError where
/// there is none, or it is of another run: network, optimizer, precision, batch, seed and data are
/// those of its first part, and steps are left.
std::optional<FoundCheckpoint> open_checkpoint(const TrainRequest& request, std::string_view data);

/// Throws InputError where --checkpoint names a folder that holds another run's checkpoints.
void require_own_folder(const TrainRequest& request);

/// The same on every rank. Throws EnvironmentError where ranks find another one, or none: the
/// folder is not the same on all hosts. Rank 0 says on `err` which files are not whole.
std::optional<CheckpointFile> open_checkpoint(const TrainRequest& request, std::string_view data,
                                              Communicator& communicator, std::ostream& err);

}  // namespace oracle
