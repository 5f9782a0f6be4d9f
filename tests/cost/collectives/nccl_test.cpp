#include "oracle/cost/collectives/nccl.h"

#include <gtest/gtest.h>

#include "tests/cost/collectives/groups.h"

namespace oracle {
namespace nccl_test {

Group node_of(std::int64_t members, Fabric fabric, double bandwidth) {
  Group group = one_level(members, 3.4 * kMicro, bandwidth);
  group.level[0].fabric = fabric;
  return group;
}

Group nodes_of(std::int64_t nodes, std::int64_t members) {
  Group group = two_levels(nodes, members, 3.4 * kMicro, 300 * kGiga, 14 * kMicro, 200 * kGiga);
  group.level[0].fabric = Fabric::nvlink;
  group.level[1].fabric = Fabric::infiniband;
  return group;
}

TEST(Nccl, WorkedNumber) {
  const auto [algorithm, time] = NcclPrices(node_of(8, Fabric::nvlink, 300 * kGiga))
                                     .choose(Collective::all_reduce, Bytes{256.0 * 1024 * 1024});
  EXPECT_EQ(algorithm->name, "ring");
  const double bytes = 256.0 * 1024 * 1024;
  EXPECT_NEAR(time.value, 8.4e-6 + 14 * 3.4e-6 + 2 * 7.0 / 8 * bytes / 231e9, 1e-9);
  EXPECT_NEAR(time.value, 2.09e-3, 0.005e-3);
}

/// A few bytes go by LL: its start, and the hops at 0.6 us of an NVLink's 3.4.
TEST(Nccl, ShortMessagesGoByTheProtocolWithTheLeastLatency) {
  const Seconds time = NcclPrices(node_of(4, Fabric::nvlink, 300 * kGiga))
                           .choose(Collective::all_reduce, Bytes{8})
                           .time;
  EXPECT_NEAR(time.value, 6.6e-6 + 6 * 0.6e-6, 1e-8);
}

/// 16 nodes of 8: 112 hops inside and 15 across are a ring's, 7 and 4 a tree's.
TEST(Nccl, AcrossManyNodesShortMessagesTakeTheTree) {
  const NcclPrices prices(nodes_of(16, 8));
  EXPECT_EQ(prices.choose(Collective::all_reduce, Bytes{1024}).algorithm->name, "double_tree");
  const Seconds tree = prices.choose(Collective::all_reduce, Bytes{}, "double_tree").time;
  EXPECT_NEAR(tree.value, 6.8e-6 + 2 * (7 * 0.6e-6 + 4 * 5.0e-6), 1e-9);
  const Seconds ring = prices.choose(Collective::all_reduce, Bytes{}, "ring").time;
  EXPECT_NEAR(ring.value, 6.6e-6 + 2 * (112 * 0.6e-6 + 15 * 2.7e-6), 1e-9);
}

TEST(Nccl, AnAllGatherIsHalfOfAnAllReduce) {
  const NcclPrices prices(node_of(8, Fabric::nvlink, 300 * kGiga));
  const Bytes many{1e9};
  const Seconds both = prices.choose(Collective::all_reduce, many).time - Seconds{8.4e-6};
  EXPECT_NEAR(prices.choose(Collective::all_gather, many).time.value, 8.4e-6 + both.value / 2,
              1e-9);
}

/// Only NVLink carries 128 bytes in one piece.
TEST(Nccl, OtherLinksHaveNoLl128) {
  const Bytes middle{1e6};
  const Seconds nvlink = NcclPrices(node_of(8, Fabric::nvlink, 12 * kGiga / 0.77))
                             .choose(Collective::all_reduce, middle)
                             .time;
  Group pcie = node_of(8, Fabric::pcie, 12 * kGiga);
  EXPECT_GT(NcclPrices(pcie).choose(Collective::all_reduce, middle).time, nvlink);
}

/// Two RTX 4090 exchange 1 GiB through the host's memory in 0.35 s; 0.28 and 0.48 s were measured
/// on one machine (data/published/collectives/pcie-boards.json).
TEST(Nccl, BoardsWithoutAccessExchangeAsDescribed) {
  const NcclPrices prices(node_of(2, Fabric::host, 3.1 * kGiga));
  const Seconds time = prices.choose(Collective::all_reduce, Bytes{0x1p30}).time;
  EXPECT_NEAR(time.value, 0x1p30 / 3.1e9, 1e-3);
}

TEST(Nccl, ANamedAlgorithmIsTakenThoughItIsNotOffered) {
  const NcclPrices prices(nodes_of(2, 4));
  for (const char* name : {"hierarchical", "halving_doubling", "tree"}) {
    EXPECT_EQ(prices.choose(Collective::all_reduce, Bytes{1e8}, name).algorithm->name, name);
  }
  const NcclPrices one_node(node_of(8, Fabric::nvlink, 300 * kGiga));
  EXPECT_EQ(one_node.choose(Collective::all_reduce, Bytes{1e8}, "hierarchical").algorithm->name,
            "ring")
      << "there is one node only";
}

TEST(Nccl, AStagedLinkReachesLessThanADirectOne) {
  EXPECT_LT(reached(Fabric::staged), reached(Fabric::infiniband));
  EXPECT_LT(reached(Fabric::sockets), reached(Fabric::infiniband));
  EXPECT_EQ(reached(Fabric::unknown), 1);
  const Group group = reached(nodes_of(2, 8));
  EXPECT_NEAR(group.level[0].flow.value, 0.77 * 300e9, 1);
  EXPECT_NEAR(group.level[1].flow_limit.value, 0.96 * 200e9, 1);
}

TEST(Nccl, MoreBytesNeverTakeLess) {
  const NcclPrices prices(nodes_of(4, 8));
  Seconds before;
  for (double bytes = 1; bytes < 1e10; bytes *= 1.5) {
    const Seconds time = prices.choose(Collective::all_reduce, Bytes{bytes}).time;
    EXPECT_GE(time, before) << bytes;
    before = time;
  }
}

}  // namespace nccl_test
}  // namespace oracle
