#include "tests/emulated_gpu/stream.h"

#include <utility>
#include <vector>

#include "microbench/kernels/gpu/device/parallel.h"
#include "tests/emulated_gpu/memory.h"

namespace oracle::emulated {
namespace {

struct Stream {
  std::vector<Work> given;
  bool at_work = false;
  bool backwards = false;
};

Stream& stream() {
  thread_local Stream own;
  return own;
}

}  // namespace

void give_work(Work work) { stream().given.push_back(std::move(work)); }

void finish_work() {
  Stream& own = stream();
  if (own.at_work || own.given.empty()) return;
  own.at_work = true;
  const std::vector<Work> all = std::exchange(own.given, {});
  const Opened memory;
  for (const Work& work : all) work(own.backwards = !own.backwards);
  own.at_work = false;
}

Stops& stops() {
  thread_local Stops own;
  return own;
}

}  // namespace oracle::emulated

namespace oracle::gpu {

DeviceAccess::DeviceAccess() {
  emulated::finish_work();
  emulated::open_memory();
}
DeviceAccess::~DeviceAccess() { emulated::close_memory(); }

void start_emulated(std::function<void(bool backwards)> work) {
  emulated::give_work(std::move(work));
}

}  // namespace oracle::gpu
