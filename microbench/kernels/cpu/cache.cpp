#include "microbench/kernels/cpu/cache.h"

#include <algorithm>
#include <unistd.h>

#include "oracle/base/last_cache.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace oracle {
namespace {

constexpr std::int64_t kLine = 64;  ///< of a cache [B]

}  // namespace

#ifdef __x86_64__
namespace {

bool offers_clflushopt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_CLFLUSHOPT) != 0;
}

__attribute__((target("clflushopt"))) void flush(char* data, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += kLine) _mm_clflushopt(data + i);
  _mm_mfence();
}

}  // namespace

bool evicts_from_caches() {
  static const bool offered = offers_clflushopt();
  return offered;
}

void evict_from_caches(const void* data, std::int64_t bytes) {
  if (evicts_from_caches()) flush(static_cast<char*>(const_cast<void*>(data)), bytes);
}
#else
bool evicts_from_caches() { return false; }
void evict_from_caches(const void*, std::int64_t) {}
#endif

namespace {

/// Where the system does not say.
constexpr long kUsualCache = 2L << 20;
/// Reading as much takes 2 ms, and between two kernels of a kind the layers of a step read less: of
/// a cache of 260 MiB, which 64 MiB leave to the code of kernels as well, short convolutions took a
/// tenth longer after those than in a step, and as long after 16 or 32.
constexpr long kMostOfLastCache = 32L << 20;

/// Of the one that the first core has; the C library may tell the sum of all there are.
long bytes_in_last_cache() {
  const Bytes listed = last_caches("/", [](std::int64_t processor) { return processor == 0; });
  return listed.value > 0 ? static_cast<long>(listed.value) : sysconf(_SC_LEVEL3_CACHE_SIZE);
}

}  // namespace

std::int64_t bytes_in_own_caches() { return std::max(sysconf(_SC_LEVEL2_CACHE_SIZE), kUsualCache); }

std::int64_t bytes_in_caches() {
  static const long last = bytes_in_last_cache();
  const long own = bytes_in_own_caches();
  return own + std::clamp(last, own, std::max(own, kMostOfLastCache));
}

void CacheFiller::read(std::int64_t bytes) {
  if (values_.empty()) {
    values_.assign(static_cast<std::size_t>(bytes_in_caches()) / sizeof(float), 1);
  }
  const std::size_t count =
      std::min(values_.size(), static_cast<std::size_t>(bytes) / sizeof(float));
  float sum = 0;
  for (std::size_t i = 0; i < count; i += kLine / std::int64_t{sizeof(float)}) sum += values_[i];
  // The sum is used, so that every line is read.
  const volatile float kept = sum;
  static_cast<void>(kept);
}

}  // namespace oracle
