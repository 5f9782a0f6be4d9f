#include "microbench/kernels/cpu/cache.h"

#include <charconv>
#include <fstream>
#include <sstream>
#include <string>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace oracle {
namespace {

/// A hexadecimal number, 0 where there is none.
std::uintptr_t address(std::string_view text) {
  std::uintptr_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

}  // namespace

#ifdef __x86_64__
namespace {

__attribute__((target("clflushopt"))) void flush(char* data, std::int64_t bytes) {
  constexpr std::int64_t kLine = 64;
  for (std::int64_t i = 0; i < bytes; i += kLine) _mm_clflushopt(data + i);
  _mm_mfence();
}

}  // namespace

bool evicts() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  static const bool offered =
      __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_CLFLUSHOPT) != 0;
  return offered;
}

void evict_from_caches(const void* data, std::int64_t bytes) {
  if (evicts()) flush(static_cast<char*>(const_cast<void*>(data)), bytes);
}
#else
bool evicts() { return false; }
void evict_from_caches(const void*, std::int64_t) {}
#endif

std::vector<AddressRange> made_code(std::string_view maps) {
  std::vector<AddressRange> ranges;
  std::istringstream lines{std::string(maps)};
  for (std::string line; std::getline(lines, line);) {
    // begin-end permissions offset device inode [path]
    std::istringstream words(line);
    std::string range, permissions, offset, device, inode, path;
    words >> range >> permissions >> offset >> device >> inode >> path;
    const std::size_t dash = range.find('-');
    if (dash == range.npos || permissions.find('x') == permissions.npos || !path.empty()) continue;
    const AddressRange found{address(range.substr(0, dash)), address(range.substr(dash + 1))};
    if (found.begin < found.end) ranges.push_back(found);
  }
  return ranges;
}

void evict_made_code() {
  if (!evicts()) return;
  std::ifstream file("/proc/self/maps");
  std::ostringstream maps;
  maps << file.rdbuf();
  for (const AddressRange& range : made_code(maps.str())) {
    evict_from_caches(
        reinterpret_cast<const void*>(range.begin),  // NOLINT(performance-no-int-to-ptr)
        static_cast<std::int64_t>(range.end - range.begin));
  }
}

}  // namespace oracle
