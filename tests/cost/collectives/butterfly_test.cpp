#include "oracle/cost/collectives/butterfly.h"

#include <gtest/gtest.h>

#include "tests/cost/collectives/groups.h"

namespace oracle {
namespace butterfly_test {

TEST(Butterfly, WorkedNumber) {
  const Group group = two_levels(2, 2, kMicro, 10 * kGiga, 10 * kMicro, kGiga);
  EXPECT_NEAR(butterfly_swaps(Bytes{8e6}, group).value, 0.801e-3 + 16.010e-3, 1e-12);
}

TEST(Butterfly, SwapsInEachRound) {
  for (const int rounds : {1, 3, 10}) {
    const Group group = one_level(std::int64_t{1} << rounds, kMicro, kGiga);
    EXPECT_NEAR(butterfly_swaps(Bytes{1e6}, group).value, rounds * 1.001e-3, 1e-12);
  }
}

}  // namespace butterfly_test
}  // namespace oracle
