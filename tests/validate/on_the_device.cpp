#include "tests/validate/on_the_device.h"

#include <memory>
#include <utility>

#include "microbench/kernels/gpu/device/runtime/parallel.h"
#include "tests/emulated_gpu/backend.h"

namespace oracle {

Ticket OnTheDevice::start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                                     std::string label) {
  const gpu::DeviceAccess access;
  return inner_.start_all_reduce(group, data, count, type, std::move(label));
}
Ticket OnTheDevice::start_reduce_scatter(GroupId group, const void* from, void* to,
                                         std::int64_t part, Element type, std::string label) {
  const gpu::DeviceAccess access;
  return inner_.start_reduce_scatter(group, from, to, part, type, std::move(label));
}
Ticket OnTheDevice::start_all_gather(GroupId group, const void* from, void* to, std::int64_t part,
                                     Element type, std::string label) {
  const gpu::DeviceAccess access;
  return inner_.start_all_gather(group, from, to, part, type, std::move(label));
}
Ticket OnTheDevice::start_all_to_all(GroupId group, const void* from, void* to, std::int64_t part,
                                     Element type, std::string label) {
  const gpu::DeviceAccess access;
  return inner_.start_all_to_all(group, from, to, part, type, std::move(label));
}
Ticket OnTheDevice::start_messages(std::span<const Peer> sends, std::span<const Peer> receives,
                                   Element type, std::string label) {
  const gpu::DeviceAccess access;
  return inner_.start_messages(sends, receives, type, std::move(label));
}
void OnTheDevice::wait(Ticket ticket) {
  const gpu::DeviceAccess access;
  inner_.wait(ticket);
}

RunOptions options_in(std::string_view precision) {
  RunOptions options;
  options.rate = 1e-3;
  options.precision = precision;
  options.fusions = fusions_of_kernels(DeviceClass::gpu);
  options.backend = [precision] { return emulated_gpu_backend(precision); };
  options.decorate = [](Communicator& inner) { return std::make_unique<OnTheDevice>(inner); };
  return options;
}

}  // namespace oracle
