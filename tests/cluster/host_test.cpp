#include "oracle/cluster/host.h"

#include <gtest/gtest.h>

namespace oracle {
namespace host_test {

Host beside(Generation generation, std::int64_t devices) {
  Device device;
  device.generation = generation;
  return usual_host(device, devices);
}

TEST(Host, WorkedExample) {
  const Host host = beside(Generation::ampere, 8);
  EXPECT_NEAR((Bytes{1e9} / host.link).value, 41.7e-3, 5e-5);
  EXPECT_EQ(host.devices, 8);
  EXPECT_EQ(host.memory, Bytes{0x1p40});
}

TEST(Host, LinksAndMemoriesGrowWithTheGenerations) {
  const Host old = beside(Generation::volta, 4), next = beside(Generation::ampere, 4),
             last = beside(Generation::hopper, 4);
  EXPECT_LT(old.link, next.link);
  EXPECT_LT(next.link, last.link);
  EXPECT_LT(old.memory_bandwidth, next.memory_bandwidth);
  EXPECT_LT(next.memory_bandwidth, last.memory_bandwidth);
  EXPECT_LT(old.memory, next.memory);
  EXPECT_LT(next.memory, last.memory);
  EXPECT_EQ(beside(Generation::unknown, 4), old);
  EXPECT_EQ(usual_host_texts(Generation::volta).link, "PCI Express 3 x16");
  EXPECT_EQ(usual_host_texts(Generation::blackwell).link, "PCI Express 5 x16");
}

TEST(Host, ADeviceMayHaveALinkOfItsOwn) {
  Device superchip;
  superchip.generation = Generation::hopper;
  superchip.host_link = Bandwidth{450e9};
  EXPECT_EQ(usual_host(superchip, 1).link, Bandwidth{450e9});
  EXPECT_EQ(usual_host(superchip, 1).memory, beside(Generation::hopper, 1).memory);
}

}  // namespace host_test
}  // namespace oracle
