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
  evict_made_code();
  EXPECT_EQ(values, before);
}

TEST(Cache, CodeThatWasMadeIsOfNoFile) {
  constexpr const char* kMaps =
      "55d0c8a00000-55d0c8b00000 r-xp 00001000 08:01 131 /usr/bin/program\n"
      "7f2a10000000-7f2a10021000 rw-p 00000000 00:00 0 \n"
      "7f2a20000000-7f2a20004000 r-xp 00000000 00:00 0 \n"
      "7f2a20004000-7f2a20006000 rwxp 00000000 00:00 0\n"
      "7ffd1f5c0000-7ffd1f5c2000 r-xp 00000000 00:00 0 [vdso]\n"
      "nonsense\n"
      "7f2a30000000 r-xp 00000000 00:00 0\n"
      "7f2a30000000-7f2a20000000 r-xp 00000000 00:00 0\n";
  EXPECT_EQ(made_code(kMaps), (std::vector<AddressRange>{{0x7f2a20000000, 0x7f2a20004000},
                                                         {0x7f2a20004000, 0x7f2a20006000}}));
  EXPECT_TRUE(made_code("").empty());
}

}  // namespace
}  // namespace oracle
