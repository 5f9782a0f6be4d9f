#pragma once
// How does memory get out of the processor's caches?
//
// By CLFLUSHOPT, 3 ns a line. Without it nothing happens: CLFLUSH, which keeps an order, takes
// forty times as long.                             tests/microbench/kernels/cpu/cache_test.cpp

#include <algorithm>
#include <cstdint>
#include <vector>

namespace oracle {

bool evicts_from_caches();

/// Writes `bytes` from `data` on back to memory, out of all caches.
void evict_from_caches(const void* data, std::int64_t bytes);

/// Of a core's own caches.
std::int64_t bytes_in_own_caches();
/// Of those and, up to 32 MiB of it, the last one, which many may share.
std::int64_t bytes_in_caches();

/// Memory of as much as caches hold, and no more: one that has seen twice as much pass lets what is
/// written next out again early. Reading it drives everything else out of them, the code of kernels
/// included, as the layers between two runs of a kernel do.
class CacheFiller {
 public:
  void fill_all() { read(bytes_in_caches()); }
  /// Of a core's own caches so much at most. What was there is in the last one, where there is one.
  void fill_own(std::int64_t most) { read(std::min(most, bytes_in_own_caches())); }

 private:
  void read(std::int64_t bytes);

  std::vector<float> values_;  ///< none before the first time
};

}  // namespace oracle
