#pragma once
// Messages over MPI. One thread makes all calls (MPI_THREAD_FUNNELED is asked for).

#include <memory>

#include "microbench/comm/communicator.h"
#include "microbench/comm/transport.h"

namespace oracle {

std::unique_ptr<Transport> make_mpi_transport();
std::unique_ptr<Communicator> make_mpi_communicator(const WatchdogOptions& options);

}  // namespace oracle
