#include "microbench/kernels/cpu/cache.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace oracle {
namespace {

TEST(Cache, EvictingChangesNoValue) {
  std::vector<int> values(100'001);
  std::iota(values.begin(), values.end(), 0);
  const std::vector<int> before = values;
  evict_from_caches(values.data() + 1, static_cast<std::int64_t>(4 * (values.size() - 1)));
  evict_from_caches(nullptr, 0);
  EXPECT_EQ(values, before);
}

}  // namespace
}  // namespace oracle
