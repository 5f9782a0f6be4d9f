#include "microbench/kernels/cpu/cache.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace oracle {

#ifdef __x86_64__
namespace {

bool offers_clflushopt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_CLFLUSHOPT) != 0;
}

__attribute__((target("clflushopt"))) void flush(char* data, std::int64_t bytes) {
  constexpr std::int64_t kLine = 64;
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

}  // namespace oracle
