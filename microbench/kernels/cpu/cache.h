#pragma once
// How does memory get out of the processor's caches?
//
// By CLFLUSHOPT, 3 ns a line. Without it nothing happens: CLFLUSH, which keeps an order, takes
// forty times as long.                             tests/microbench/kernels/cpu/cache_test.cpp

#include <cstdint>

namespace oracle {

bool evicts_from_caches();

/// Writes `bytes` from `data` on back to memory, out of all caches.
void evict_from_caches(const void* data, std::int64_t bytes);

}  // namespace oracle
