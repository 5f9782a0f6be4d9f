#include "oracle/cost/compute/crowding.h"

#include <cmath>
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

constexpr Contention kMeasured{2, Bytes{1e6}, 0.01e-9, 0.1};
const Cost kAlone{Seconds{2e-3}, Source::measured, 0.1};

double turns(std::int64_t ranks, const Cluster& cluster) {
  return crowd_of(ranks, cluster, {}).turns;
}

TEST(Crowding, RanksTakeTurnsOnTooFewCores) {
  const Cluster cluster = machine_of(2, 4);
  EXPECT_EQ(turns(4, cluster), 2);
  EXPECT_EQ(turns(3, cluster), 1.5);
  EXPECT_EQ(turns(2, cluster), 1);
  EXPECT_EQ(turns(1, cluster), 1);
}

TEST(Crowding, RanksOnOtherDevicesDoNotCount) { EXPECT_EQ(turns(64, machine_of(2, 4)), 2); }

TEST(Crowding, AGpuSharesItself) {
  EXPECT_EQ(turns(4, cluster_of_gpus()), 1);
  EXPECT_EQ(crowded(kAlone, Bytes{81e6}, crowd_of(4, cluster_of_gpus(), kMeasured)).time,
            kAlone.time);
}

TEST(Crowding, WorkedNumbers) {
  const auto milliseconds = [&](std::int64_t ranks, const Cluster& cluster) {
    return 1e3 * crowded(kAlone, Bytes{81e6}, crowd_of(ranks, cluster, kMeasured)).time.value;
  };
  EXPECT_DOUBLE_EQ(milliseconds(1, machine_of(2, 4)), 2);
  EXPECT_DOUBLE_EQ(milliseconds(2, machine_of(2, 4)), 2.8);
  EXPECT_DOUBLE_EQ(milliseconds(4, machine_of(2, 4)), 5.6);
  EXPECT_DOUBLE_EQ(milliseconds(3, machine_of(4, 4)), 3.6) << "two others, twice what one does";
}

TEST(Crowding, WhatACoresCachesHoldIsItsOwn) {
  const Cost beside = crowded(kAlone, Bytes{1e6}, crowd_of(2, machine_of(2, 2), kMeasured));
  EXPECT_EQ(beside.time, kAlone.time);
  EXPECT_EQ(beside.uncertainty, 0.1);
}

TEST(Crowding, NobodyWaitsLongerThanTheOthersTake) {
  const Cost beside = crowded(kAlone, Bytes{1e12}, crowd_of(2, machine_of(2, 2), kMeasured));
  EXPECT_DOUBLE_EQ(beside.time / kAlone.time, 2);
}

TEST(Crowding, TheFitsErrorJoinsTheKernels) {
  const Cost beside = crowded(kAlone, Bytes{81e6}, crowd_of(2, machine_of(2, 2), kMeasured));
  EXPECT_EQ(beside.source, Source::measured);
  EXPECT_NEAR(beside.uncertainty, std::hypot(0.1, 1.6449 * 1.4826 * 0.1), 1e-4);
}

}  // namespace
}  // namespace oracle
