#pragma once
// Collectives of NCCL on the GPU of each rank, behind a door: a program has them without NCCL.

#include <memory>

#include "microbench/comm/communicator.h"
#include "microbench/comm/meeting.h"
#include "microbench/modules/local_place.h"

namespace oracle {

/// How the ranks of this launcher meet: over TCP where RANK, WORLD_SIZE, MASTER_ADDR and
/// MASTER_PORT are set, else over MPI where it was built in, else as the only one.
std::unique_ptr<Meeting> make_meeting(const Environment& environment = process_environment);

/// Throws EnvironmentError where there is no GPU, no driver or no NCCL.
std::unique_ptr<Communicator> make_nccl_communicator(const WatchdogOptions& options);

}  // namespace oracle
