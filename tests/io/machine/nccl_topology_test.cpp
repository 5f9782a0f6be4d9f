#include "oracle/io/machine/nccl_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace nccl_topology_test {

using testing::Contains;
using testing::HasSubstr;

class NcclTopology : public testing::Test {
 protected:
  void SetUp() override {
    if (!reads_nccl_topology()) GTEST_SKIP() << "built without tinyxml2";
  }

  static Machine kept(const std::string& file) {
    Machine machine;
    machine.unknown = {"GPUs: none", "memory: none"};
    load_nccl_topology(std::string(ORACLE_SOURCE_DIR "/tests/data/nccl-topology/") + file, machine);
    return machine;
  }

  static std::string refusal(const std::string& xml) {
    Machine machine;
    try {
      add_nccl_topology(xml, "t.xml", machine);
    } catch (const InputError& error) {
      return error.what();
    }
    return "not refused";
  }
};

TEST_F(NcclTopology, TwoSocketsWithAGpuAndANetEach) {
  const Machine machine = kept("h100_two_of_eight.xml");
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_EQ(machine.gpus[1].bus, "0000:cc:00.0");
  EXPECT_EQ(machine.gpus[1].numa, 1);
  EXPECT_EQ(machine.gpus[1].capability, "9.0");
  ASSERT_EQ(machine.gpus[1].links.size(), 4U);
  EXPECT_EQ(machine.gpus[1].links[3].target, "0000:f4:00.0");
  EXPECT_EQ(machine.gpus[1].links[3].count, 5);
  ASSERT_EQ(machine.interfaces.size(), 2U);
  EXPECT_EQ(machine.interfaces[0].name, "mlx5_7");
  EXPECT_EQ(machine.interfaces[0].speed, Bandwidth{25e9});
}

TEST_F(NcclTopology, SwitchesBetweenProcessorAndGpu) {
  const Machine machine = kept("v100_hybrid_cube.xml");
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_EQ(machine.gpus[0].bus, "0000:39:00.0");
  EXPECT_EQ(machine.gpus[0].capability, "7.0");
  EXPECT_EQ(machine.gpus[0].links.size(), 5U);
}

TEST_F(NcclTopology, NetsBesideTheTreeAndComments) {
  const Machine machine = kept("a100_four_numa_nodes.xml");
  EXPECT_EQ(machine.gpus.at(0).numa, 3);
  ASSERT_EQ(machine.interfaces.size(), 2U);
  EXPECT_EQ(machine.interfaces[1].name, "bond0");
  EXPECT_EQ(machine.interfaces[1].speed, Bandwidth{0.125e9});
}

TEST_F(NcclTopology, WorkedNumber) {
  Machine machine;
  add_nccl_topology(
      R"(<system><cpu numaid="0x1"><nic><net name="mlx5_0" speed="400000"/></nic></cpu></system>)",
      "t.xml", machine);
  EXPECT_EQ(machine.interfaces.at(0).speed, Bandwidth{50e9});
  EXPECT_EQ(machine.interfaces.at(0).numa, 1);
}

TEST_F(NcclTopology, ItsSentencesTakeThePlaceOfTheMachines) {
  const Machine machine = kept("v100_hybrid_cube.xml");
  EXPECT_THAT(machine.unknown,
              testing::ElementsAre("memory: none", HasSubstr("names of the GPUs")));
}

TEST_F(NcclTopology, WhatIsNoSuchFileIsRefusedWithItsLine) {
  EXPECT_THAT(refusal(""), HasSubstr("t.xml:1: is not XML"));
  EXPECT_THAT(refusal("<system>\n<cpu>\n</system>"), HasSubstr("is not XML"));
  EXPECT_THAT(refusal("<graphs/>"), HasSubstr("has no <system>"));
  EXPECT_THAT(refusal("<system><cpu/></system>"), HasSubstr("neither a <gpu> nor a <net>"));
  EXPECT_THAT(refusal("<system><cpu>\n<nic><net speed=\"1\"/></nic></cpu></system>"),
              HasSubstr("t.xml:2: <net> has no name"));
  EXPECT_THAT(
      refusal("<system><cpu>\n<pci>\n<gpu><nvlink count=\"no\"/></gpu></pci></cpu></system>"),
      HasSubstr("t.xml:3: <nvlink> has no count"));
  std::string deep = "<system><cpu>";
  for (int i = 0; i < 100'000; ++i) deep += "<pci>";
  EXPECT_THAT(refusal(deep), HasSubstr("is not XML"));
}

}  // namespace nccl_topology_test
}  // namespace oracle
