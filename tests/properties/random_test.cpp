#include "tests/properties/random.h"

#include <gtest/gtest.h>

namespace oracle {
namespace properties_random_test {

TEST(Random, IsSplitMix64) {
  Random random(0);
  EXPECT_EQ(random.next(), 0xe220a8397b1dcdafU);
  EXPECT_EQ(random.next(), 0x6e789e6aa1b965f4U);
}

TEST(Random, DrawsEveryNumberOfARangeAndNoOther) {
  Random random(1);
  bool seen[3] = {};
  for (int i = 0; i < 100; ++i) {
    const std::int64_t drawn = random.whole(-1, 1);
    ASSERT_TRUE(drawn >= -1 && drawn <= 1);
    seen[drawn + 1] = true;
    const double real = random.magnitude(2, 8);
    ASSERT_TRUE(real >= 2 && real < 8);
  }
  EXPECT_TRUE(seen[0] && seen[1] && seen[2]);
}

}  // namespace properties_random_test
}  // namespace oracle
