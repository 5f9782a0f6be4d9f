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

Cost beside_others(Pass pass, double bytes, std::int64_t ranks, const Cluster& cluster) {
  const Crowd crowd = crowd_of(ranks, cluster, kMeasured);
  return crowded(kAlone, pass, Bytes{bytes}, crowd, closest_company(crowd));
}

double turns(std::int64_t ranks, const Cluster& cluster) {
  return closest_company(crowd_of(ranks, cluster, {})).turns;
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
  EXPECT_EQ(beside_others(Pass::update, 81e6, 4, cluster_of_gpus()).time, kAlone.time);
}

TEST(Crowding, WorkedNumbers) {
  const auto milliseconds = [&](Pass pass, std::int64_t ranks, const Cluster& cluster) {
    return 1e3 * beside_others(pass, 81e6, ranks, cluster).time.value;
  };
  EXPECT_DOUBLE_EQ(milliseconds(Pass::forward, 1, machine_of(2, 4)), 2);
  EXPECT_NEAR(milliseconds(Pass::forward, 2, machine_of(2, 4)), 2.53, 5e-3);
  EXPECT_NEAR(milliseconds(Pass::forward, 4, machine_of(2, 4)), 5.07, 5e-3);
  EXPECT_DOUBLE_EQ(milliseconds(Pass::update, 2, machine_of(2, 4)), 2.8);
  EXPECT_DOUBLE_EQ(milliseconds(Pass::update, 4, machine_of(2, 4)), 5.6);
  EXPECT_DOUBLE_EQ(milliseconds(Pass::update, 3, machine_of(4, 4)), 3.6)
      << "two others, twice what one does";
}

TEST(Crowding, KernelsOfShortStretchesRunToTheirEndAndTheMessageBeforeComesLater) {
  const Crowd crowd = crowd_of(4, machine_of(2, 4), kMeasured);
  EXPECT_NEAR(share_computing(crowd, Seconds{1}, Seconds{1}), 2.0 / 3, 1e-12);
  const Company found = company(crowd, 2.0 / 3, Seconds{2e-3});
  EXPECT_DOUBLE_EQ(found.turns, 1.5);
  EXPECT_DOUBLE_EQ(found.later, 0.5) << "of 2 ms";
  EXPECT_DOUBLE_EQ(found.meets, 5.0 / 6);
  EXPECT_NEAR(company(crowd, 0, Seconds{1e-6}).turns, 1, 1e-3);
  EXPECT_NEAR(company(crowd, 0, Seconds{10}).turns, 2, 1e-3);
}

TEST(Crowding, AllTurnsAreTakenSomewhere) {
  const Crowd crowd = crowd_of(6, machine_of(2, 6), {});
  for (const double stretch : {1e-6, 1e-3, 1.0}) {
    const Company found = company(crowd, 0.5, Seconds{stretch});
    EXPECT_DOUBLE_EQ(found.turns + found.later, 3);
  }
}

TEST(Crowding, RanksThatOnlyComputeAlwaysMeet) {
  const Crowd crowd = crowd_of(4, machine_of(2, 4), kMeasured);
  EXPECT_EQ(share_computing(crowd, Seconds{1}, Seconds{}), 1);
  EXPECT_EQ(share_computing(crowd, Seconds{}, Seconds{}), 1);
  EXPECT_EQ(company(crowd, 1, Seconds{1e-3}).meets, 1);
}

TEST(Crowding, RanksWithACoreEachTakeNoTurnsAndShareMemoryWhileTheyCompute) {
  const Crowd crowd = crowd_of(2, machine_of(2, 2), kMeasured);
  const Company found = company(crowd, 0.5, Seconds{2e-3});
  EXPECT_EQ(found.turns, 1);
  EXPECT_EQ(found.later, 0);
  EXPECT_DOUBLE_EQ(found.meets, 0.75);
  EXPECT_NEAR(crowded(kAlone, Pass::forward, Bytes{81e6}, crowd, found).time.value, 2.4e-3, 1e-6);
}

TEST(Crowding, WhatACoresCachesHoldIsItsOwn) {
  const Cost beside = beside_others(Pass::update, 1e6, 2, machine_of(2, 2));
  EXPECT_EQ(beside.time, kAlone.time);
  EXPECT_EQ(beside.uncertainty, 0.1);
}

TEST(Crowding, NobodyWaitsLongerThanTheOthersTake) {
  const Cluster machine = machine_of(2, 2);
  EXPECT_DOUBLE_EQ(beside_others(Pass::update, 1e12, 2, machine).time / kAlone.time, 2);
  EXPECT_DOUBLE_EQ(beside_others(Pass::forward, 1e12, 2, machine).time / kAlone.time, 5.0 / 3);
}

TEST(Crowding, TheFitsErrorJoinsTheKernels) {
  const Cost beside = beside_others(Pass::forward, 81e6, 2, machine_of(2, 2));
  EXPECT_EQ(beside.source, Source::measured);
  EXPECT_NEAR(beside.uncertainty, std::hypot(0.1, 1.6449 * 1.4826 * 0.1), 1e-4);
}

}  // namespace
}  // namespace oracle
