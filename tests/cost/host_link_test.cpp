#include "oracle/cost/host_link.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace host_link_test {

/// 12 GB/s each way, 256 GB/s of memory for 8 devices.
Cluster node() {
  Cluster cluster = flat_cluster();
  cluster.host.latency = {};
  cluster.host.devices = 8;
  return cluster;
}

TEST(HostLink, WorkedExample) {
  EXPECT_NEAR(host_copy(node(), Bytes{1e9}).time.value, 83.3e-3, 5e-5);
  EXPECT_NEAR(host_update(node(), 1, Bytes{30e9}).time.value, 0.255, 5e-4);
  EXPECT_NEAR(host_update(node(), 8, Bytes{30e9}).time.value, 2.04, 5e-3);
}

TEST(HostLink, EachCopyHasItsLatency) {
  Cluster cluster = node();
  cluster.host.latency = Seconds{1e-3};
  EXPECT_NEAR(host_copy(cluster, Bytes{12e6}).time.value, 2e-3, 1e-12);
}

/// Ranks on other hosts have others' memory.
TEST(HostLink, RanksOfOneHostShareIt) {
  Cluster cluster = node();
  EXPECT_EQ(host_update(cluster, 64, Bytes{1e9}).time, host_update(cluster, 8, Bytes{1e9}).time);
  const Seconds alone = host_update(cluster, 1, Bytes{1e9}).time;
  cluster.ranks_per_device = 2;
  EXPECT_EQ(host_update(cluster, 64, Bytes{1e9}).time, alone * 16);
  EXPECT_NEAR(host_copy(cluster, Bytes{1e9}).time.value, 166.7e-3, 5e-5);
}

}  // namespace host_link_test
}  // namespace oracle
