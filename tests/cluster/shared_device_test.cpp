#include "oracle/cluster/shared_device.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/cluster/placement.h"
#include "oracle/io/clusters/cluster_reader.h"

namespace oracle {
namespace shared_device_test {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(SharedDevice, IsAsManyGpusOfOneMachineAsTheRanksNeed) {
  const Cluster node = load_cluster("h200-node");
  const Cluster shared = with_shared_devices(node, {4, true}, 6);
  EXPECT_EQ(shared.ranks_per_device, 4);
  ASSERT_EQ(shared.levels.size(), 1U);
  EXPECT_EQ(shared.levels[0].units, 2);
  EXPECT_EQ(shared.ranks(), 8);
  EXPECT_EQ(shared.device.multiprocessors, node.device.multiprocessors);
}

/// Two ranks of one GPU do not meet over NVLink.
TEST(SharedDevice, MessagesGoThroughSockets) {
  const Cluster node = load_cluster("h200-node");
  const std::int64_t degrees[] = {2};
  const Group alone = place(node, degrees, 1);
  const Group shared = place(with_shared_devices(node, {2, false}, 2), degrees, 1);
  EXPECT_EQ(shared.size, 2);
  EXPECT_LT(shared.slowest_flow(), alone.slowest_flow() / 10);
  EXPECT_GT(shared.top().latency, alone.top().latency * 10);
}

TEST(SharedDevice, SaysWhatIsAssumed) {
  const Cluster shared = with_shared_devices(load_cluster("h200-node"), {2, false}, 2);
  EXPECT_THAT(shared.assumptions, Contains(HasSubstr("take turns on all of it")));
  EXPECT_THAT(shared.assumptions, Contains(HasSubstr("socket")));
  EXPECT_THAT(to_text(DeviceSharing{4, true}),
              HasSubstr("each on 1/4 of its multiprocessors (CUDA MPS)"));
  for (const FigureSource& source : shared.sources) {
    EXPECT_EQ(source.kind, Source::assumed) << source.figure;
    EXPECT_TRUE(source.figure.starts_with("machine/")) << source.figure;
  }
}

}  // namespace shared_device_test
}  // namespace oracle
