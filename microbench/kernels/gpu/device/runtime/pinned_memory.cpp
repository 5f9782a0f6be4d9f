#include "microbench/kernels/gpu/device/runtime/pinned_memory.h"

#include <algorithm>
#include <cuda_runtime_api.h>
#include <iterator>

#include "microbench/kernels/gpu/device/runtime/check.h"

namespace oracle::gpu {

void* PinnedMemory::take(std::int64_t bytes) {
  const std::int64_t room = std::max<std::int64_t>(bytes, 1);
  void* data = nullptr;
  check(cudaHostAlloc(&data, static_cast<std::size_t>(room), cudaHostAllocDefault),
        "cudaHostAlloc");
  taken_[static_cast<const std::byte*>(data)] = room;
  return data;
}

void PinnedMemory::give(void* data) noexcept {
  taken_.erase(static_cast<const std::byte*>(data));
  static_cast<void>(cudaFreeHost(data));
}

bool PinnedMemory::holds(const void* data) const {
  const auto* at = static_cast<const std::byte*>(data);
  const auto after = taken_.upper_bound(at);
  if (after == taken_.begin()) return false;
  const auto& [begin, bytes] = *std::prev(after);
  return at < begin + bytes;
}

}  // namespace oracle::gpu
