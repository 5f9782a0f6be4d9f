#pragma once
// Ranks as threads of one process: a slow, plain communicator, so that every strategy can be run in
// a unit test and a failure points at the executor.

#include <functional>

#include "microbench/comm/communicator.h"

namespace oracle {

/// Runs `body` on `ranks` threads, each with its communicator. Rethrows the first rank's exception.
void run_ranks(int ranks, const std::function<void(Communicator&)>& body);

}  // namespace oracle
