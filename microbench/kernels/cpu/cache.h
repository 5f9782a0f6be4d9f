#pragma once
// How does memory get out of the processor's caches?
//
// By CLFLUSHOPT, 3 ns a line. Without it nothing happens: CLFLUSH, which keeps an order, takes
// forty times as long.                             tests/microbench/kernels/cpu/cache_test.cpp

#include <cstdint>
#include <string_view>
#include <vector>

namespace oracle {

/// Whether this processor evicts.
bool evicts();

/// Writes `bytes` from `data` on back to memory, out of all caches.
void evict_from_caches(const void* data, std::int64_t bytes);

struct AddressRange {
  std::uintptr_t begin = 0, end = 0;
  bool operator==(const AddressRange&) const = default;
};

/// The ranges of a process's memory map (Linux, /proc/PID/maps) that may be executed and come from
/// no file: instructions made at run time.
std::vector<AddressRange> made_code(std::string_view maps);

/// Evicts the instructions that this process made, as oneDNN makes its kernels.
void evict_made_code();

}  // namespace oracle
