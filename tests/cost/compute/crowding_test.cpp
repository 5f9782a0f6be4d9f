#include "oracle/cost/compute/crowding.h"

#include <gtest/gtest.h>

#include "tests/cost/samples.h"

namespace oracle {
namespace {

Cluster machine_of(int cores, std::int64_t ranks) {
  Cluster cluster = cluster_of_gpus();
  cluster.device.device_class = DeviceClass::cpu;
  cluster.device.multiprocessors = cores;
  cluster.ranks_per_device = ranks;
  return cluster;
}

TEST(Crowding, WorkedNumbers) {
  const Cluster cluster = machine_of(2, 4);
  EXPECT_EQ(crowding(4, cluster), 2);
  EXPECT_EQ(crowding(3, cluster), 1.5);
  EXPECT_EQ(crowding(2, cluster), 1);
  EXPECT_EQ(crowding(1, cluster), 1);
}

TEST(Crowding, RanksOnOtherDevicesDoNotCount) { EXPECT_EQ(crowding(64, machine_of(2, 4)), 2); }

TEST(Crowding, AGpuSharesItself) { EXPECT_EQ(crowding(4, cluster_of_gpus()), 1); }

TEST(Crowding, OnlyTimeGrows) {
  const Cost cost = crowded({Seconds{2}, Source::measured, 0.1}, 1.5);
  EXPECT_EQ(cost.time.value, 3);
  EXPECT_EQ(cost.source, Source::measured);
  EXPECT_EQ(cost.uncertainty, 0.1);
}

}  // namespace
}  // namespace oracle
