#include "oracle/io/clusters/cluster_reader.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace oracle {
namespace cluster_reader_test {

constexpr const char* kDevice = R"({
"schema": "oracle/device/1", "name": "One", "class": "gpu", "host_link": "450 GB/s",
"peak": {"fp32": "10 TFLOP/s", "fp16": "80 TFLOP/s"}, "matrix_unit": ["fp16"],
"memory": "16 GiB", "memory_bandwidth": "900 GB/s", "cache": "6 MiB", "multiprocessors": 80,
"launch_overhead": "5 us", "reserved": "1 GiB", "price": "2.5 USD/h", "board_power": "300 W",
"sources": [
{"kind": "datasheet", "text": "a sheet, 2020", "figures": ["peak/fp32", "peak/fp16", "memory",
 "memory_bandwidth", "cache", "multiprocessors", "price", "board_power", "host_link"]},
{"kind": "assumed", "text": "a guess", "figures": ["launch_overhead", "reserved"]}
]})";

constexpr const char* kCluster = R"({
"schema": "oracle/cluster/1", "name": "Two", "device": "v100-sxm2-16gb", "ranks_per_device": 2,
"levels": [
{"name": "node", "units": 4, "uplink": {"name": "NV", "bandwidth": "50 GB/s", "latency": "9 us"}},
{"name": "fabric", "units": 2,
 "uplink": {"name": "EDR", "bandwidth": "25 GB/s", "rails": 2, "latency": "40 us"}}],
"sources": [
{"kind": "datasheet", "text": "a manual, 2020", "figures": ["node/units", "node/bandwidth",
 "node/latency", "fabric/units", "fabric/bandwidth", "fabric/rails"]},
{"kind": "assumed", "text": "a guess", "figures": ["fabric/latency"]}]})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

template <typename Read>
std::string refusal(Read read_one, const std::string& text) {
  try {
    read_one(json::parse(text, "f.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string device_refusal(const std::string& from, const std::string& to) {
  return refusal(read_device, replaced(kDevice, from, to));
}

std::string cluster_refusal(const std::string& from, const std::string& to) {
  return refusal(read_cluster, replaced(kCluster, from, to));
}

class ClusterReader : public testing::Test {
 protected:
  void SetUp() override { setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1); }
};

TEST_F(ClusterReader, ReadsADevice) {
  const Device device = read_device(json::parse(kDevice, "some/where/one.json"));
  EXPECT_EQ(device.id, "one");
  EXPECT_EQ(device.device_class, DeviceClass::gpu);
  EXPECT_EQ(device.peak_of(DataType::fp16), FlopRate{80e12});
  EXPECT_EQ(device.peak_of(DataType::tf32).value, 0);
  EXPECT_TRUE(device.matrix_unit_for(DataType::fp16));
  EXPECT_EQ(device.memory, Bytes{0x1p34});
  EXPECT_EQ(device.launch_overhead, Seconds{5e-6});
  EXPECT_EQ(device.price_per_hour, 2.5);
  EXPECT_EQ(device.board_power, 300);
  EXPECT_EQ(device.host_link, Bandwidth{450e9});
  ASSERT_EQ(device.sources.size(), 11U);
  EXPECT_EQ(device.sources[0], (FigureSource{"peak/fp32", Source::datasheet, "a sheet, 2020"}));
}

TEST_F(ClusterReader, ReadsAClusterAndListsItsGuesses) {
  const Cluster cluster = read_cluster(json::parse(kCluster, "two.json"));
  EXPECT_EQ(cluster.id, "two");
  EXPECT_EQ(cluster.ranks(), 16);
  EXPECT_EQ(cluster.device.id, "v100-sxm2-16gb");
  EXPECT_EQ(cluster.levels[0].uplink.flow_limit, Bandwidth{50e9});
  EXPECT_EQ(cluster.levels[1].uplink.flow_limit, Bandwidth{12.5e9});
  EXPECT_EQ(cluster.levels[1].uplink.name, "EDR");
  ASSERT_GE(cluster.assumptions.size(), 2U);
  EXPECT_EQ(cluster.assumptions[0], "fabric/latency: a guess");
  EXPECT_TRUE(cluster.assumptions[1].starts_with("launch_overhead: ")) << cluster.assumptions[1];
}

TEST_F(ClusterReader, EveryFigureNeedsItsSource) {
  EXPECT_EQ(
      device_refusal(", \"cache\", \"multip", ", \"multip"),
      "f.json:6:/sources: \"cache\" has no source; add it to the \"figures\" of a source, or of "
      "one of kind \"assumed\"");
  EXPECT_EQ(device_refusal("\"launch_overhead\", \"reserved\"]",
                           "\"launch_overhead\", \"reserved\", \"cache\"]"),
            "f.json:9:/sources/1/figures: \"cache\" has two sources; keep one of them");
  EXPECT_EQ(
      device_refusal("\"launch_overhead\", \"reserved\"]",
                     "\"launch_overhead\", \"reserved\", \"peak/fp23\"]"),
      "f.json:9:/sources/1/figures: there is no figure \"peak/fp23\"; did you mean \"peak/fp32\"?");
  EXPECT_EQ(
      device_refusal("\"assumed\"", "\"asumed\""),
      "f.json:9:/sources/1/kind: \"asumed\" is not a kind of source; did you mean \"assumed\"?");
  EXPECT_NE(cluster_refusal(", \"fabric/rails\"", "").find("\"fabric/rails\" has no source"),
            std::string::npos);
}

TEST_F(ClusterReader, RefusesADeviceThatCannotBe) {
  EXPECT_EQ(device_refusal("\"900 GB/s\"", "\"0 GB/s\""),
            "f.json:4:/memory_bandwidth: \"0 GB/s\" is zero; write a quantity above zero");
  EXPECT_EQ(device_refusal("\"900 GB/s\"", "900"),
            "f.json:4:/memory_bandwidth: \"900\" has no unit; write \"900 GB/s\"");
  EXPECT_EQ(device_refusal("\"1 GiB\"", "\"16 GiB\""),
            "f.json:5:/reserved: is all of the memory; write less than \"memory\"");
  EXPECT_EQ(device_refusal("[\"fp16\"]", "[\"bf16\"]"),
            "f.json:3:/matrix_unit: \"bf16\" has no peak; did you mean \"fp16\"?");
  EXPECT_TRUE(
      device_refusal("\"matrix_unit\"", "\"fusions\": [\"dense_activatoin\"], \"matrix_unit\"")
          .starts_with("f.json:3:/fusions: \"dense_activatoin\" is nothing that kernels "
                       "fuse; did you mean \"dense_activation\"?\n"));
  EXPECT_EQ(device_refusal("\"gpu\"", "\"tpu\""),
            "f.json:2:/class: \"tpu\" is not a class of device; write \"gpu\" or \"cpu\"");
  EXPECT_EQ(device_refusal("device/1", "device/2"),
            "f.json:2:/schema: is not the format of a device file; write \"oracle/device/1\"");
}

TEST_F(ClusterReader, RefusesAClusterThatCannotBe) {
  EXPECT_EQ(
      cluster_refusal("\"units\": 2", "\"units\": 200000000"),
      "f.json:5:/levels/1/units: the cluster has more than 1000000000 ranks; lower the units of "
      "a level");
  EXPECT_EQ(cluster_refusal("\"units\": 4", "\"units\": 0"),
            "f.json:4:/levels/0/units: 0 is out of range; write an integer from 1 to 1000000000");
  EXPECT_EQ(
      cluster_refusal("\"25 GB/s\"", "\"-25 GB/s\""),
      "f.json:6:/levels/1/uplink/bandwidth: \"-25 GB/s\" is negative; write a bandwidth such as "
      "\"25 GB/s\"");
  EXPECT_NE(
      cluster_refusal("\"fabric\", \"units\"", "\"node\", \"units\"").find("names two levels"),
      std::string::npos);
  EXPECT_NE(refusal(read_cluster, R"({"schema": "oracle/cluster/1", "name": "x", "device": "k40",
                                      "levels": [], "sources": []})")
                .find("describe 1 to 6, inside out"),
            std::string::npos);
}

TEST_F(ClusterReader, ReportsAllProblemsAtOnce) {
  std::string text = replaced(kCluster, "\"rails\": 2", "\"rials\": 2");
  text = replaced(text, "v100-sxm2-16gb", "v100-sxm2-16");
  text = replaced(text, "\"9 us\"", "\"9\"");
  EXPECT_EQ(
      refusal(read_cluster, text),
      "f.json:4:/levels/0/uplink/latency: \"9\" has no unit; write \"9 us\"\n"
      "f.json:6:/levels/1/uplink/rials: unknown key \"rials\"; did you mean \"rails\"?\n"
      "f.json:8:/sources/0/figures: there is no figure \"fabric/rails\"; did you mean "
      "\"fabric/units\"?\n"
      "f.json:2:/device: device \"v100-sxm2-16\" is unknown; did you mean \"v100-sxm2-16gb\"? "
      "See: oracle list devices");
}

TEST_F(ClusterReader, FindsADeviceBesideTheClustersFile) {
  const std::filesystem::path folder = testing::TempDir() + "oracle_cluster_reader";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "one.json") << kDevice;
  std::ofstream(folder / "mine.json") << replaced(kCluster, "v100-sxm2-16gb", "one.json");
  const Cluster cluster = load_cluster((folder / "mine.json").string());
  EXPECT_EQ(cluster.id, "mine");
  EXPECT_EQ(cluster.device.name, "One");
  std::filesystem::remove_all(folder);
  EXPECT_NE(cluster_refusal("v100-sxm2-16gb", "./none.json").find("there is no file"),
            std::string::npos);
}

TEST_F(ClusterReader, WhatAFileLeavesOutIsAssumed) {
  const Cluster cluster = read_cluster(json::parse(R"({
    "schema": "oracle/cluster/1", "name": "Mine",
    "device": {"schema": "oracle/device/1", "name": "Mine", "class": "gpu",
               "peak": {"fp32": "10 TFLOP/s"}, "memory": "16 GiB",
               "memory_bandwidth": "900 GB/s", "cache": "6 MiB", "multiprocessors": 80},
    "levels": [{"name": "node", "units": 4, "uplink": {"name": "PCIe", "bandwidth": "12 GB/s"}},
               {"name": "net", "units": 2, "uplink": {"name": "IB", "bandwidth": "12 GB/s"}}]})",
                                                   "mine.json"));
  EXPECT_EQ(cluster.levels[0].uplink.latency, Seconds{5.7e-6});
  EXPECT_EQ(cluster.levels[1].uplink.latency, Seconds{31e-6});
  EXPECT_EQ(cluster.device.launch_overhead, Seconds{4.5e-6});
  EXPECT_EQ(cluster.device.reserved, Bytes{0.75 * 1024 * 1024 * 1024});
  for (const auto* sources : {&cluster.sources, &cluster.device.sources}) {
    for (const FigureSource& source : *sources) EXPECT_EQ(source.kind, Source::assumed);
  }
  EXPECT_EQ(cluster.sources.size(), 6U);
  EXPECT_EQ(cluster.device.sources.size(), 7U);
  EXPECT_EQ(cluster.assumptions.size(), 13U) << "each is said with every answer";
}

TEST_F(ClusterReader, AnUnknownClusterIsSuggested) {
  try {
    load_cluster("sumit");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "cluster: \"sumit\" is unknown; did you mean \"summit\"? See: oracle list clusters");
  }
}

TEST_F(ClusterReader, HostsAreUsualButForWhatIsSaid) {
  const Cluster usual = read_cluster(json::parse(kCluster, "f.json"));
  EXPECT_EQ(usual.host, usual_host(usual.device, 4));
  const std::string host =
      R"("host": {"bandwidth": "20 GB/s", "memory": "1 TiB", "devices": 2}, "levels":)";
  const std::string text =
      replaced(replaced(kCluster, "\"levels\":", host), "[\"node/units\"",
               "[\"host/bandwidth\", \"host/memory\", \"host/devices\", \"node/units\"");
  const Cluster said = read_cluster(json::parse(text, "f.json"));
  EXPECT_EQ(said.host.link, Bandwidth{20e9});
  EXPECT_EQ(said.host.memory, Bytes{0x1p40});
  EXPECT_EQ(said.host.devices, 2);
  EXPECT_EQ(said.host.memory_bandwidth, usual.host.memory_bandwidth);
}

TEST_F(ClusterReader, HostsOfNoBandwidthAreRefused) {
  const auto refused = [](const char* host) {
    return cluster_refusal("\"levels\":", std::string("\"host\": ") + host + ", \"levels\":");
  };
  EXPECT_NE(refused(R"({"bandwidth": "0 GB/s"})").find("/host/bandwidth"), std::string::npos);
  EXPECT_NE(refused(R"({"bandwidth": "25"})").find("has no unit"), std::string::npos);
  EXPECT_NE(refused(R"({"memory": "0 GiB"})").find("/host/memory"), std::string::npos);
  EXPECT_NE(refused(R"({"devices": 0})").find("/host/devices"), std::string::npos);
  EXPECT_NE(refused(R"({"speed": "1 GB/s"})").find("speed"), std::string::npos);
  EXPECT_NE(refused("7").find("host"), std::string::npos);
  EXPECT_NE(cluster_refusal("\"levels\": [\n{\"name\": \"node\"",
                            "\"host\": {}, \"levels\": [\n{\"name\": \"host\"")
                .find("name of a level"),
            std::string::npos);
}

}  // namespace cluster_reader_test
}  // namespace oracle
