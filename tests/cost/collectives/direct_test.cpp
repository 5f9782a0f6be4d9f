#include "oracle/cost/collectives/direct.h"

#include <gtest/gtest.h>

#include "oracle/cost/collectives/pairwise.h"
#include "tests/cost/collectives/groups.h"

namespace oracle {
namespace direct_test {

Group served(Group group, std::int64_t servers) {
  group.servers = servers;
  return group;
}

TEST(Direct, WorkedNumber) {
  const Group group = one_level(4, kMicro, kGiga);
  EXPECT_NEAR(direct_push(Bytes{8e6}, served(group, 1)).value, 24.003e-3, 1e-12);
  EXPECT_NEAR(direct_push(Bytes{8e6}, served(group, 4)).value, 6.003e-3, 1e-12);
}

TEST(Direct, IsAPairwiseExchangeWhereEachMemberServes) {
  const Group group = two_levels(3, 4, kMicro, 10 * kGiga, 10 * kMicro, kGiga);
  EXPECT_DOUBLE_EQ(direct_push(Bytes{8e6}, served(group, 12)).value,
                   pairwise_all_to_all(Bytes{8e6}, group).value);
}

TEST(Direct, ServersOfANodeShareItsUplink) {
  // One of 4 members of a node serves, so that it has the uplink for itself: 3 and then 4 parts.
  const Group group = two_levels(2, 4, 0, 10 * kGiga, 0, kGiga);
  EXPECT_NEAR(direct_push(Bytes{8e6}, served(group, 2)).value, 3 * 0.4e-3 + 4 * 4e-3, 1e-12);
  EXPECT_NEAR(direct_push(Bytes{8e6}, served(group, 4)).value, 3 * 0.2e-3 + 4 * 4e-3, 1e-12);
}

}  // namespace direct_test
}  // namespace oracle
