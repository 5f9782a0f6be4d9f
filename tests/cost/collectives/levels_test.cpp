#include "oracle/cost/collectives/levels.h"

#include <gtest/gtest.h>

#include "tests/cost/collectives/groups.h"

namespace oracle {
namespace levels_test {

TEST(Levels, MembersShareTheUplinkOfTheirNode) {
  const Group group = two_levels(4, 4, 0, 50 * kGiga, 0, 12.5 * kGiga);
  EXPECT_EQ(members_below(group, 0), 1);
  EXPECT_EQ(members_below(group, 1), 4);
  EXPECT_DOUBLE_EQ(crowded_flow(group, 0).value, 50 * kGiga);
  EXPECT_DOUBLE_EQ(crowded_flow(group, 1).value, 3.125 * kGiga);
}

TEST(Levels, TheDevicesOwnLinkLimitsToo) {
  const Group group = two_levels(2, 2, 0, 1 * kGiga, 0, 100 * kGiga);
  EXPECT_DOUBLE_EQ(crowded_flow(group, 1).value, 1 * kGiga);
}

TEST(Levels, OneMessageTakesTheNarrowestRail) {
  Group group = two_levels(2, 2, 0, 50 * kGiga, 0, 25 * kGiga);
  group.level[1].flow_limit = Bandwidth{12.5 * kGiga};
  EXPECT_DOUBLE_EQ(message_limit(group, 0).value, 50 * kGiga);
  EXPECT_DOUBLE_EQ(message_limit(group, 1).value, 12.5 * kGiga);
}

TEST(Levels, UnevenUnitsCountUp) {
  Group group = two_levels(2, 4, 0, 1, 0, 1);
  group.size = group.level[1].members = 6;
  EXPECT_EQ(units_joined(group, 0), 4);
  EXPECT_EQ(units_joined(group, 1), 2);
}

TEST(Levels, LogarithmsRoundUp) {
  EXPECT_EQ(ceil_log2(1), 0);
  EXPECT_EQ(ceil_log2(2), 1);
  EXPECT_EQ(ceil_log2(5), 3);
  EXPECT_EQ(ceil_log2(1024), 10);
  EXPECT_EQ(ceil_log2(1025), 11);
}

}  // namespace levels_test
}  // namespace oracle
