#include "oracle/cost/collectives/halving_doubling.h"

#include <gtest/gtest.h>

#include "tests/cost/collectives/groups.h"

namespace oracle {
namespace halving_doubling_test {

TEST(HalvingDoubling, WorkedNumber) {
  const Group group = one_level(4, kMicro, kGiga);
  EXPECT_NEAR(halving_doubling_all_reduce(Bytes{8e6}, group).value, 12.004e-3, 1e-12);
  EXPECT_NEAR(halving_reduce_scatter(Bytes{8e6}, group).value, 6.002e-3, 1e-12);
  EXPECT_NEAR(doubling_all_gather(Bytes{8e6}, group).value, 6.002e-3, 1e-12);
}

TEST(HalvingDoubling, OtherSizesFoldFirst) {
  // Six members: two fold into neighbours, four halve: 2·(2 us + 6 ms) + 2·(1 us + 8 ms).
  EXPECT_NEAR(halving_doubling_all_reduce(Bytes{8e6}, one_level(6, kMicro, kGiga)).value, 28.006e-3,
              1e-12);
}

TEST(HalvingDoubling, NearExchangesStayInsideTheNode) {
  // Inside: 4 + 2 MB at 10 GB/s; across: 1 + 0.5 MB each, four members on 1 GB/s: 4 + 2 ms.
  const Group group = two_levels(4, 4, kMicro, 10 * kGiga, 10 * kMicro, kGiga);
  EXPECT_NEAR(halving_reduce_scatter(Bytes{8e6}, group).value, 0.602e-3 + 6.020e-3, 1e-12);
}

TEST(HalvingDoubling, PairsAcrossOddNodesShareTheirUplinks) {
  // Four members on nodes of 3: up to two cross at distance 1, up to three at distance 2.
  Group group = two_levels(2, 3, kMicro, 10 * kGiga, 10 * kMicro, kGiga);
  group.size = group.level[1].members = 4;
  EXPECT_NEAR(halving_reduce_scatter(Bytes{4e6}, group).value, 4.010e-3 + 3.010e-3, 1e-12);
}

}  // namespace halving_doubling_test
}  // namespace oracle
