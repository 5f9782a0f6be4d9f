#include "oracle/io/clusters/cluster_line.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/clusters/cluster_writer.h"

namespace oracle {
namespace cluster_line_test {

std::string refusal_of_line(const std::string& line) {
  try {
    parse_cluster_line(line);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

bool assumes(const Cluster& cluster, const std::string& line) {
  return std::find(cluster.assumptions.begin(), cluster.assumptions.end(), line) !=
         cluster.assumptions.end();
}

TEST(ClusterLine, HasNodesOfDevicesOnANetwork) {
  const Cluster cluster = load_cluster("16x8xa100-sxm4-80gb,net=200Gb/s");
  EXPECT_EQ(cluster.ranks(), 128);
  EXPECT_EQ(cluster.device.id, "a100-sxm4-80gb");
  ASSERT_EQ(cluster.levels.size(), 2U);
  EXPECT_EQ(cluster.levels[0].units, 8);
  EXPECT_EQ(cluster.levels[0].uplink.bandwidth, Bandwidth{300e9});
  EXPECT_EQ(cluster.levels[0].uplink.latency, Seconds{3.4e-6});
  EXPECT_EQ(cluster.levels[1].units, 16);
  EXPECT_EQ(cluster.levels[1].uplink.bandwidth, Bandwidth{25e9});
  EXPECT_EQ(cluster.levels[1].uplink.flow_limit, Bandwidth{25e9});
  EXPECT_TRUE(assumes(cluster, "node/bandwidth: as in dgx-a100"));
  EXPECT_TRUE(assumes(cluster, "network/latency: usual of messages between nodes"));
  EXPECT_FALSE(assumes(cluster, "network/bandwidth: usual of messages between nodes"));
}

TEST(ClusterLine, OneNodeNeedsNoNetwork) {
  const Cluster cluster = load_cluster("4xt4,link=10GB/s");
  EXPECT_EQ(cluster.ranks(), 4);
  ASSERT_EQ(cluster.levels.size(), 1U);
  EXPECT_EQ(cluster.levels[0].uplink.bandwidth, Bandwidth{10e9});
  EXPECT_EQ(load_cluster("1x4xt4").ranks(), 4);
  // No shipped cluster has the larger memory; dgx-1-v100 has as many in a node, abci 4.
  EXPECT_EQ(load_cluster("8xv100-sxm2-32gb").levels[0].uplink.bandwidth, Bandwidth{150e9});
  EXPECT_EQ(load_cluster("8xv100-sxm2-16gb").levels[0].uplink.bandwidth, Bandwidth{150e9});
  EXPECT_EQ(load_cluster("4xv100-sxm2-16gb").levels[0].uplink.bandwidth, Bandwidth{50e9});
}

Link link_of(const char* line) { return load_cluster(line).levels[0].uplink; }

/// No shipped cluster has one of these.
TEST(ClusterLine, BoardsExchangeAsIsUsual) {
  EXPECT_EQ(link_of("4xt4").bandwidth, Bandwidth{12e9});
  EXPECT_EQ(link_of("4xt4").fabric, Fabric::pcie);
  EXPECT_EQ(link_of("2xl40").bandwidth, Bandwidth{22e9});
  EXPECT_EQ(link_of("2xl40").fabric, Fabric::pcie);
  EXPECT_EQ(link_of("2xrtx4090").bandwidth, Bandwidth{3.1e9});
  EXPECT_EQ(link_of("2xrtx4090").fabric, Fabric::host);
  EXPECT_EQ(link_of("2xrtx5090").bandwidth, Bandwidth{27e9});
  EXPECT_EQ(link_of("8xh20-96gb").bandwidth, Bandwidth{450e9});
  EXPECT_EQ(link_of("8xh20-96gb").fabric, Fabric::nvlink);
}

TEST(ClusterLine, SaysWhetherBoardsReachEachOther) {
  EXPECT_EQ(link_of("8xrtx4090,peer=on").bandwidth, Bandwidth{22e9});
  EXPECT_EQ(link_of("8xrtx4090,peer=on").fabric, Fabric::pcie);
  EXPECT_EQ(link_of("2xl40,peer=off").bandwidth, Bandwidth{3.1e9});
  EXPECT_EQ(link_of("8xa100-sxm4-80gb,peer=off").fabric, Fabric::host);
  EXPECT_TRUE(
      assumes(load_cluster("2xrtx4090"),
              "node/bandwidth: PCIe 4.0 x16 through the host's memory, without peer access: "
              "a third to three times of it on other machines"));
}

TEST(ClusterLine, IsWrittenAndReadBack) {
  const Cluster cluster = parse_cluster_line("2x4xv100-sxm2-16gb,net=100Gbps");
  const std::string text = write_cluster(cluster);
  EXPECT_EQ(write_cluster(read_cluster(json::parse(text, "mine.json"))), text);
}

TEST(ClusterLine, SaysWhatIsWrong) {
  EXPECT_EQ(refusal_of_line("16x8xa100-sxm4-80gb"),
            "--cluster: does not say how fast the network of its 16 nodes is; add ,net=200Gb/s");
  EXPECT_EQ(refusal_of_line("8xt4,net=10Gb/s"),
            "--cluster: one node has no network; leave \"net\" out");
  EXPECT_EQ(refusal_of_line("2x8xt4,nte=10Gb/s"),
            "--cluster: \"nte\" is not known of a cluster in one line; did you mean \"net\"?");
  EXPECT_EQ(refusal_of_line("2x8xt4,net=10"),
            "--cluster: net: \"10\" has no unit; write \"10 GB/s\"");
  EXPECT_EQ(refusal_of_line("2x8xt4,net=10Gb/s,net=10Gb/s"),
            "--cluster: \"net\" is given twice; give it once");
  EXPECT_EQ(refusal_of_line("2x8xt44,net=10Gb/s"),
            "device: \"t44\" is unknown; did you mean \"t4\"? See: oracle list devices");
  EXPECT_EQ(refusal_of_line("8xt4,peer=no"),
            "--cluster: peer: \"no\" is neither on nor off; write peer=off");
  EXPECT_EQ(
      refusal_of_line("8xt4,peer=off,link=3GB/s"),
      "--cluster: \"peer\" says which link there is, and \"link\" how fast it is; leave one of "
      "them out");
  EXPECT_NE(refusal_of_line("2x8x,net=10Gb/s").find("names no device"), std::string::npos);
  EXPECT_NE(refusal_of_line("0x8xt4,net=10Gb/s").find("\"0\" is out of range"), std::string::npos);
  EXPECT_NE(refusal_of_line("1000000000x8xt4,net=1Gb/s").find("more than 1000000000 ranks"),
            std::string::npos);
}

TEST(ClusterLine, OtherNamesAreNoLines) {
  for (const char* name : {"abci", "here", "x4", "16", "mine.json", "./16x8.json"}) {
    EXPECT_FALSE(is_cluster_line(name)) << name;
  }
}

}  // namespace cluster_line_test
}  // namespace oracle
