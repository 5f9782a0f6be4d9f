#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace cluster_files_test {

class ClusterFiles : public testing::Test {
 protected:
  void SetUp() override { setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1); }
};

TEST_F(ClusterFiles, EveryDeviceIsReadAndPlausible) {
  const std::vector<std::string> names = names_in("data/devices");
  EXPECT_GE(names.size(), 50U);
  for (const std::string& name : names) {
    const Device device = load_device(name);
    EXPECT_EQ(device.id, name);
    EXPECT_GT(device.peak_of(DataType::fp32).value, 1e12) << name;
    EXPECT_LT(device.peak_of(DataType::fp32), FlopRate{1.5e14}) << name;
    EXPECT_GT(device.memory_bandwidth, Bandwidth{1e11}) << name;
    EXPECT_GT(device.memory, Bytes{8e9}) << name;
    EXPECT_LT(device.reserved / device.memory, 0.15) << name;
    EXPECT_LT(device.launch_overhead, Seconds{1e-5}) << name;
  }
}

/// A GPU's row says what the kernels that train there compute in one pass; those of compute
/// capability below 7.0 have none of ours. The back ends are held to the same by
/// tests/microbench/kernels/fused_test.cpp.
TEST_F(ClusterFiles, AGpuFusesWhatItsKernelsDo) {
  const std::vector<std::string> too_old = {"k40", "k80", "p100-pcie-16gb", "p100-sxm2-16gb"};
  int fusing = 0;
  for (const std::string& name : names_in("data/devices")) {
    const Device device = load_device(name);
    if (device.device_class != DeviceClass::gpu) continue;
    const bool old = std::find(too_old.begin(), too_old.end(), name) != too_old.end();
    EXPECT_EQ(device.fusions, old ? Fusions{} : fusions_of_kernels(DeviceClass::gpu)) << name;
    fusing += device.fuses() ? 1 : 0;
  }
  EXPECT_GE(fusing, 9);
  EXPECT_EQ(load_cluster("here").device.fusions, fusions_of_kernels(DeviceClass::cpu));
}

TEST_F(ClusterFiles, EveryClusterIsRead) {
  const std::vector<std::string> names = names_in("data/clusters");
  EXPECT_GE(names.size(), 12U);
  for (const std::string& name : names) {
    const Cluster cluster = load_cluster(name);
    EXPECT_EQ(cluster.id, name);
    EXPECT_GT(cluster.ranks(), 1) << name;
    EXPECT_FALSE(cluster.description.empty()) << name;
    EXPECT_FALSE(cluster.assumptions.empty()) << name;
    for (std::size_t l = 1; l < cluster.levels.size(); ++l) {
      EXPECT_GE(cluster.levels[l].uplink.latency, cluster.levels[l - 1].uplink.latency) << name;
    }
  }
}

/// Multiply-add units of the architecture's whitepaper, two operations each, times the boost clock.
TEST_F(ClusterFiles, PeaksAreUnitsTimesClock) {
  const auto ratio = [](const char* name, double units, double clock) {
    return load_device(name).peak_of(DataType::fp32).value / (units * 2 * clock);
  };
  EXPECT_NEAR(ratio("k80", 13 * 192, 0.875e9), 1, 0.005);
  EXPECT_NEAR(ratio("p100-sxm2-16gb", 56 * 64, 1.48e9), 1, 0.005);
  EXPECT_NEAR(ratio("v100-sxm2-16gb", 80 * 64, 1.53e9), 1, 0.005);
  EXPECT_NEAR(ratio("t4", 40 * 64, 1.59e9), 1, 0.006);
  EXPECT_NEAR(ratio("rtx3090", 82 * 128, 1.695e9), 1, 0.005);
  EXPECT_NEAR(ratio("a100-sxm4-80gb", 108 * 64, 1.41e9), 1, 0.005);
  EXPECT_NEAR(ratio("h100-sxm5-80gb", 132 * 128, 1.98e9), 1, 0.005);
}

TEST_F(ClusterFiles, TensorCoresMakeFp16EightTimesFasterOnVolta) {
  const Device volta = load_device("v100-sxm2-16gb");
  EXPECT_NEAR(volta.peak_of(DataType::fp16) / volta.peak_of(DataType::fp32), 7.96, 0.01);
  EXPECT_TRUE(volta.matrix_unit_for(DataType::fp16));
  EXPECT_FALSE(volta.matrix_unit_for(DataType::fp32));
  EXPECT_EQ(volta.peak_of(DataType::bf16).value, 0);
  EXPECT_FALSE(load_device("p100-sxm2-16gb").matrix_unit_for(DataType::fp16));
}

/// Dense: half of what data sheets print with sparsity.
TEST_F(ClusterFiles, FewerBitsAreTwiceAsFastOnHopperAndFourToSixTimesOnBlackwell) {
  for (const char* name : {"h100-sxm5-80gb", "h800-sxm5-80gb", "h200-sxm5-141gb", "gh200-96gb"}) {
    const Device hopper = load_device(name);
    EXPECT_NEAR(hopper.peak_of(DataType::fp8) / hopper.peak_of(DataType::bf16), 2, 1e-3) << name;
    EXPECT_TRUE(hopper.matrix_unit_for(DataType::fp8)) << name;
    EXPECT_EQ(hopper.peak_of(DataType::mxfp8).value, 0) << name;
    EXPECT_EQ(hopper.peak_of(DataType::fp4).value, 0) << name;
  }
  const std::vector<std::pair<const char*, double>> blackwells{
      {"b200-sxm-180gb", 4}, {"gb200-186gb", 4}, {"b300-sxm-268gb", 6}, {"gb300-279gb", 6}};
  for (const auto& [name, fp4] : blackwells) {
    const Device blackwell = load_device(name);
    const FlopRate wide = blackwell.peak_of(DataType::bf16);
    EXPECT_EQ(blackwell.generation, Generation::blackwell);
    EXPECT_DOUBLE_EQ(blackwell.peak_of(DataType::fp8) / wide, 2) << name;
    EXPECT_DOUBLE_EQ(blackwell.peak_of(DataType::mxfp8) / wide, 2) << name;
    EXPECT_DOUBLE_EQ(blackwell.peak_of(DataType::fp4) / wide, fp4) << name;
  }
  EXPECT_EQ(load_device("a100-sxm4-80gb").peak_of(DataType::fp8).value, 0);
}

TEST_F(ClusterFiles, AbciIsTheMachineOfTheReport) {
  const Cluster abci = load_cluster("abci");
  EXPECT_EQ(abci.ranks(), 4352);
  ASSERT_EQ(abci.levels.size(), 4U);
  EXPECT_EQ(abci.capacity(1), 68);
  EXPECT_EQ(abci.capacity(2), 136);
  EXPECT_EQ(abci.levels[1].uplink.bandwidth, Bandwidth{25e9});
  EXPECT_EQ(abci.levels[1].uplink.flow_limit, Bandwidth{12.5e9});
  EXPECT_DOUBLE_EQ(abci.levels[1].uplink.latency.value, 40.31e-6);
  const double nodes_bandwidth = 34 * 25e9;
  EXPECT_NEAR(nodes_bandwidth / abci.levels[3].uplink.bandwidth.value, 3, 0.2);
  EXPECT_GT(abci.levels[2].uplink.bandwidth.value, nodes_bandwidth / 2);
}

TEST_F(ClusterFiles, SummitHasSixGpusANodeAndPodsHoldAThousand) {
  EXPECT_EQ(load_cluster("summit").capacity(1), 6);
  EXPECT_EQ(load_cluster("summit").ranks(), 27648);
  EXPECT_GE(load_cluster("dgx-a100").ranks(), 1024);
  EXPECT_GE(load_cluster("dgx-h100").ranks(), 1024);
  EXPECT_EQ(load_cluster("h200-node").ranks(), 8);
}

TEST_F(ClusterFiles, ACloudsPriceIsTheClusters) {
  EXPECT_EQ(load_cluster("cloud-10gbe").device.price_per_hour, 3.06);
  EXPECT_EQ(load_cluster("abci").device.price_per_hour, 0);
}

TEST_F(ClusterFiles, EveryShippedDeviceSaysWhatItsBoardDraws) {
  for (const std::string& name : names_in("data/devices")) {
    EXPECT_GT(load_device(name).board_power, 0) << name;
  }
  EXPECT_EQ(load_device("v100-sxm2-16gb").board_power, 300);
  EXPECT_EQ(load_device("h100-sxm5-80gb").board_power, 700);
}

}  // namespace cluster_files_test
}  // namespace oracle
