#include "oracle/cost/collectives/hierarchical.h"

#include <gtest/gtest.h>

#include "oracle/cost/collectives/ring.h"
#include "tests/cost/collectives/groups.h"

namespace oracle {
namespace hierarchical_test {

TEST(Hierarchical, WorkedNumber) {
  const Group group = two_levels(4, 4, kMicro, 10 * kGiga, 10 * kMicro, kGiga);
  EXPECT_NEAR(hierarchical_all_reduce(Bytes{8e6}, group).value, 13.266e-3, 1e-12);
  EXPECT_NEAR(hierarchical_reduce_scatter(Bytes{8e6}, group).value, 6.633e-3, 1e-12);
  EXPECT_NEAR(hierarchical_all_gather(Bytes{8e6}, group).value, 6.633e-3, 1e-12);
}

TEST(Hierarchical, NeedsSeveralNodesOfSeveralMembers) {
  EXPECT_TRUE(has_nodes(two_levels(2, 2, 0, 1, 0, 1)));
  EXPECT_FALSE(has_nodes(one_level(8, 0, 1)));
  EXPECT_FALSE(has_nodes(two_levels(8, 1, 0, 1, 0, 1)));
}

TEST(Hierarchical, LoadsTheUplinkAsTheRingOverTheNodesDoes) {
  // With a free inside and no latency, only a node's uplink counts: 2(N-1)/N · bytes.
  const Group group = two_levels(4, 4, 0, 1e6 * kGiga, 0, kGiga);
  const Group nodes = one_level(4, 0, kGiga);
  EXPECT_NEAR(hierarchical_all_reduce(Bytes{8e6}, group).value,
              ring_all_reduce(Bytes{8e6}, nodes).value, 1e-7);
}

TEST(Hierarchical, AnUnfilledLastNodeCounts) {
  Group group = two_levels(2, 4, 0, kGiga, 10 * kMicro, kGiga);
  group.size = group.level[1].members = 6;
  EXPECT_NEAR(hierarchical_all_reduce(Bytes{0}, group).value, 2 * 10e-6, 1e-15);
}

}  // namespace hierarchical_test
}  // namespace oracle
