#include "oracle/io/clusters/cluster_writer.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/clusters/here.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace cluster_writer_test {

Cluster again(const Cluster& cluster) {
  return read_cluster(json::parse(write_cluster(cluster), cluster.id + ".json"));
}

/// Sources in the order of their figures' names.
std::vector<FigureSource> by_figure(std::vector<FigureSource> sources) {
  std::sort(sources.begin(), sources.end(),
            [](const FigureSource& a, const FigureSource& b) { return a.figure < b.figure; });
  return sources;
}

void expect_same(const Cluster& a, const Cluster& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.description, b.description);
  EXPECT_EQ(a.ranks_per_device, b.ranks_per_device);
  EXPECT_EQ(a.host, b.host);
  EXPECT_EQ(by_figure(a.sources), by_figure(b.sources));
  EXPECT_EQ(a.device.name, b.device.name);
  EXPECT_EQ(a.device.device_class, b.device.device_class);
  EXPECT_EQ(a.device.peak, b.device.peak);
  EXPECT_EQ(a.device.matrix_unit, b.device.matrix_unit);
  EXPECT_EQ(a.device.memory, b.device.memory);
  EXPECT_EQ(a.device.memory_bandwidth, b.device.memory_bandwidth);
  EXPECT_EQ(a.device.cache, b.device.cache);
  EXPECT_EQ(a.device.multiprocessors, b.device.multiprocessors);
  EXPECT_EQ(a.device.launch_overhead, b.device.launch_overhead);
  EXPECT_EQ(a.device.reserved, b.device.reserved);
  EXPECT_EQ(a.device.channel_block, b.device.channel_block);
  EXPECT_EQ(a.device.fusions, b.device.fusions);
  EXPECT_EQ(a.device.price_per_hour, b.device.price_per_hour);
  EXPECT_EQ(a.device.board_power, b.device.board_power);
  EXPECT_EQ(a.device.host_link, b.device.host_link);
  ASSERT_EQ(a.levels.size(), b.levels.size());
  for (std::size_t l = 0; l < a.levels.size(); ++l) {
    const Link &one = a.levels[l].uplink, &other = b.levels[l].uplink;
    EXPECT_EQ(a.levels[l].name, b.levels[l].name);
    EXPECT_EQ(a.levels[l].units, b.levels[l].units);
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.bandwidth, other.bandwidth);
    EXPECT_EQ(one.latency, other.latency);
    EXPECT_EQ(one.flow_limit, other.flow_limit);
  }
  const std::vector<std::string>&lines = a.assumptions, &others = b.assumptions;
  EXPECT_TRUE(std::is_permutation(lines.begin(), lines.end(), others.begin(), others.end()));
}

TEST(ClusterWriter, EveryShippedClusterComesBack) {
  for (const std::string& name : names_in("data/clusters")) {
    const Cluster cluster = load_cluster(name);
    expect_same(again(cluster), cluster);
  }
}

TEST(ClusterWriter, ThisMachineComesBack) {
  const Cluster machine =
      describe_host("model name : a \"processor\"\ncpu MHz : 2500.123\n", "", 3);
  Cluster read = again(machine);
  expect_same(read, machine);
}

TEST(ClusterWriter, AFigureThatNobodySourcedIsAssumed) {
  Cluster machine = describe_host("", "", 1);
  machine.device.sources.clear();
  const Cluster read = again(machine);
  EXPECT_EQ(read.device.sources.front().kind, Source::assumed);
}

TEST(ClusterWriter, LinesAreIndented) {
  const std::string text = write_cluster(describe_host("", "", 1), 4);
  EXPECT_EQ(text.substr(0, 2), "{\n");
  EXPECT_EQ(text.substr(text.size() - 6), "\n    }");
}

}  // namespace cluster_writer_test
}  // namespace oracle
