#include "oracle/cost/collectives/alone.h"

#include <gtest/gtest.h>

#include "oracle/io/clusters/cluster_reader.h"

namespace oracle {
namespace alone_test {

TEST(CollectiveAlone, WorkedNumber) {
  const Cost cost = collective_alone(Collective::all_reduce, Bytes{256.0 * 1024 * 1024}, 8,
                                     load_cluster("dgx-a100"));
  EXPECT_NEAR(cost.time.value, 2.09e-3, 0.005e-3);
  EXPECT_EQ(cost.source, Source::datasheet);
}

TEST(CollectiveAlone, TheWidestLinkThatItCrossesCounts) {
  const Cluster cluster = load_cluster("dgx-a100");
  const auto width = [&](std::int64_t ranks) {
    return collective_alone(Collective::all_reduce, Bytes{1e6}, ranks, cluster).uncertainty;
  };
  EXPECT_EQ(width(2), width(8));
  EXPECT_GT(width(16), width(8));
}

/// One GPU a node: its NVLink joins no one.
TEST(CollectiveAlone, LevelsThatJoinNoMembersDoNotCount) {
  const Cost cost = collective_alone(Collective::all_reduce, Bytes{1e9}, 2, load_cluster("vista"));
  EXPECT_NEAR(cost.time.value, 1e9 / (0.96 * 50e9), 1e-3);
}

}  // namespace alone_test
}  // namespace oracle
