#pragma once
// Through whose memory do messages go?
//
//   cpu   the host's, over MPI
//   gpu   the GPU's, with the collectives of NCCL
//                                                   tests/microbench/links/operation_test.cpp

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"

namespace oracle {

using MakeBuffer = std::function<std::unique_ptr<Buffer>(std::int64_t bytes)>;

/// Of the host's memory.
std::unique_ptr<Buffer> make_host_buffer(std::int64_t bytes);

/// The communicator of a device: "cpu" or "gpu". Throws EnvironmentError where this program was
/// built without it.
CommunicatorRow link_communicator(std::string_view device);

/// Who makes the device's buffers; of a processor there is no back end.
struct LinkDevice {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Buffer> buffer(std::int64_t bytes) const {
    return backend ? backend->buffer(bytes) : make_host_buffer(bytes);
  }
};
LinkDevice link_device(std::string_view device);

/// Every rank's `bytes` of `own`, whole elements of 4, in rank order into `all`. All ranks call it.
void gather_everywhere(Communicator& communicator, const MakeBuffer& make_buffer, GroupId world,
                       const void* own, std::int64_t bytes, void* all, const std::string& label);

}  // namespace oracle
