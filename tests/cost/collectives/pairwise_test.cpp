#include "oracle/cost/collectives/pairwise.h"

#include <gtest/gtest.h>

#include "tests/cost/collectives/groups.h"

namespace oracle {
namespace pairwise_test {

TEST(Pairwise, WorkedNumber) {
  const Group group = two_levels(2, 2, kMicro, 10 * kGiga, 10 * kMicro, kGiga);
  EXPECT_NEAR(pairwise_all_to_all(Bytes{8e6}, group).value, 8.221e-3, 1e-12);
}

TEST(Pairwise, AnUplinkCarriesWhatLeavesTheNode) {
  // 8 members per node send 24/32 of their 32 MB out of it: 192 MB over 1 GB/s.
  const Group group = two_levels(4, 8, 0, 1e6 * kGiga, 0, kGiga);
  EXPECT_NEAR(pairwise_all_to_all(Bytes{32e6}, group).value, 0.192, 1e-6);
}

TEST(Pairwise, OneMessageTakesOneRail) {
  Group group = one_level(2, 0, 25 * kGiga);
  group.level[0].flow_limit = Bandwidth{12.5 * kGiga};
  EXPECT_NEAR(pairwise_all_to_all(Bytes{25e6}, group).value, 1e-3, 1e-12);
}

}  // namespace pairwise_test
}  // namespace oracle
