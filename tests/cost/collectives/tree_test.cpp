#include "oracle/cost/collectives/tree.h"

#include <gtest/gtest.h>

#include "tests/cost/collectives/groups.h"

namespace oracle {
namespace tree_test {

TEST(Tree, WorkedNumber) {
  EXPECT_NEAR(tree_all_reduce(Bytes{1e3}, one_level(8, kMicro, kGiga)).value, 12e-6, 1e-15);
}

TEST(Tree, FollowsTheLevels) {
  // 2 rounds inside at 1 us + 1 ms, 2 across at 10 us + 4 ms, each way.
  const Group group = two_levels(4, 4, kMicro, 4 * kGiga, 10 * kMicro, kGiga);
  EXPECT_NEAR(tree_all_reduce(Bytes{4e6}, group).value, 2 * (2 * 1.001e-3 + 2 * 4.010e-3), 1e-12);
}

TEST(Tree, AMessageTakesOneRail) {
  Group group = one_level(2, 0, 25 * kGiga);
  group.level[0].flow_limit = Bandwidth{12.5 * kGiga};
  EXPECT_NEAR(tree_all_reduce(Bytes{12.5e6}, group).value, 2e-3, 1e-12);
}

}  // namespace tree_test
}  // namespace oracle
