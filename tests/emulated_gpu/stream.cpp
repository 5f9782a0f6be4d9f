#include "tests/emulated_gpu/stream.h"

#include <cstring>
#include <utility>
#include <vector>

#include "microbench/kernels/gpu/device/runtime/parallel.h"
#include "tests/emulated_gpu/memory.h"

namespace oracle::emulated {
namespace {

struct Stream {
  std::vector<Work> given;
  bool at_work = false;
  bool backwards = false;
  std::unique_ptr<Launches> capture;
  bool broken = false;
};

Stream& stream() {
  thread_local Stream own;
  return own;
}

}  // namespace

void give_work(Work work, std::span<const void* const> addresses) {
  Stream& own = stream();
  if (own.capture == nullptr) return own.given.push_back(std::move(work));
  Launch launch{std::move(work), {}};
  for (const void* address : addresses) {
    launch.touched.push_back({address, allocation_of(address)});
  }
  own.capture->push_back(std::move(launch));
}

void give_again(const Launches& launches) {
  for (const Launch& launch : launches) stream().given.push_back(launch.work);
}

void finish_work() {
  Stream& own = stream();
  if (own.at_work || own.given.empty()) return;
  own.at_work = true;
  const std::vector<Work> all = std::exchange(own.given, {});
  const Opened memory;
  for (const Work& work : all) work(own.backwards = !own.backwards);
  own.at_work = false;
}

bool captures() { return stream().capture != nullptr; }

bool begin_capture() {
  if (captures()) return false;
  stream().capture = std::make_unique<Launches>();
  stream().broken = false;
  return true;
}

bool break_capture() { return stream().broken = captures(); }

std::unique_ptr<Launches> end_capture() {
  std::unique_ptr<Launches> all = std::move(stream().capture);
  if (stream().broken) all.reset();
  return all;
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

/// Whatever among the arguments can be an address is taken for one.
void start_emulated(std::function<void(bool backwards)> work, const void* arguments,
                    std::size_t bytes) {
  std::vector<const void*> words(bytes / sizeof(void*));
  if (!words.empty()) std::memcpy(words.data(), arguments, words.size() * sizeof(void*));
  emulated::give_work(std::move(work), words);
}

}  // namespace oracle::gpu
