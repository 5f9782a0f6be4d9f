#include "microbench/comm/communicator.h"
#include "oracle/base/error.h"

#ifdef ORACLE_COMM_MPI
#include "microbench/comm/mpi/transport.h"
#endif
#ifdef ORACLE_COMM_NCCL
#include "microbench/comm/nccl/nccl_communicator.h"
#endif

namespace oracle {

Ticket Communicator::start_group_messages(GroupId, std::span<const Peer>, std::span<const Peer>,
                                          Element, std::string label) {
  throw Defect(library() + " sends no messages between members of a group: " + label);
}

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
