#include "microbench/comm/communicator.h"

#ifdef ORACLE_COMM_MPI
#include "microbench/comm/mpi/transport.h"
#endif
#ifdef ORACLE_COMM_NCCL
#include "microbench/comm/nccl/nccl_communicator.h"
#endif

namespace oracle {

std::vector<CommunicatorRow> all_communicators() {
  std::vector<CommunicatorRow> rows;
#ifdef ORACLE_COMM_MPI
  rows.push_back({"mpi", "messages over MPI, for CPU ranks", make_mpi_communicator});
#endif
#ifdef ORACLE_COMM_NCCL
  rows.push_back(
      {"nccl", "collectives of NCCL, for ranks with a GPU each", make_nccl_communicator});
#endif
  return rows;
}

}  // namespace oracle
