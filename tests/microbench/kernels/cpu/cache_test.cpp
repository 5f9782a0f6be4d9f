#include "microbench/kernels/cpu/cache.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

namespace oracle {
namespace cache_test {

TEST(Cache, EvictingChangesNoValue) {
  std::vector<int> values(100'001);
  std::iota(values.begin(), values.end(), 0);
  const std::vector<int> before = values;
  evict_from_caches(values.data() + 1, static_cast<std::int64_t>(4 * (values.size() - 1)));
  evict_from_caches(nullptr, 0);
  EXPECT_EQ(values, before);
}

/// KiB of all levels of data that the first core has; 0 where the system does not say.
long listed_kibibytes() {
  long sum = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) +
                       "/size");
    long kibibytes = 0;
    if (file >> kibibytes) sum += kibibytes;
  }
  return sum;
}

TEST(Cache, HoldsNoMoreThanTheFirstCoreHas) {
  const long listed = listed_kibibytes();
  if (listed == 0) GTEST_SKIP() << "the system does not list its caches";
  EXPECT_LE(bytes_in_caches() - bytes_in_own_caches(),
            std::max<std::int64_t>(std::int64_t{listed} << 10, bytes_in_own_caches()));
}

}  // namespace cache_test
}  // namespace oracle
