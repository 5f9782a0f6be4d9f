#include "microbench/comm/nccl/nccl_communicator.h"

#include "microbench/comm/nccl/device_communicator.h"
#include "microbench/comm/nccl/tcp_meeting.h"
#include "microbench/modules/module.h"
#ifdef ORACLE_COMM_MPI
#include "microbench/comm/mpi/transport.h"
#endif

namespace oracle {

std::unique_ptr<Meeting> make_meeting(const Environment& environment) {
  if (const auto place = tcp_place(environment)) return make_tcp_meeting(*place);
#ifdef ORACLE_COMM_MPI
  return make_mpi_transport();
#else
  return make_tcp_meeting({});
#endif
}

std::unique_ptr<Communicator> make_nccl_communicator(const WatchdogOptions& options) {
  using Make = DeviceCollectives* (*)();
  require_gpu_driver();
  const auto make =
      reinterpret_cast<Make>(module_symbol("oracle-comm-nccl", "oracle_make_nccl_collectives"));
  return make_device_communicator(
      make_meeting(), [make] { return std::unique_ptr<DeviceCollectives>(make()); }, options);
}

}  // namespace oracle
