#include "oracle/cost/compute/crowding.h"

#include <cmath>
#include <gtest/gtest.h>

#include "tests/cost/samples.h"

namespace oracle {
namespace crowding_test {

Cluster machine_of(int cores, std::int64_t ranks) {
  Cluster cluster = cluster_of_gpus();
  cluster.device.device_class = DeviceClass::cpu;
  cluster.device.multiprocessors = cores;
  cluster.ranks_per_device = ranks;
  return cluster;
}

Profile measured() {
  Profile profile;
  profile.contention = {2, Bytes{1e6}, 0.01e-9, 0.1};
  return profile;
}

const Cost kAlone{Seconds{2e-3}, Source::measured, 0.1};

Cost beside_others(Pass pass, double bytes, std::int64_t ranks, const Cluster& cluster,
                   const Profile& profile = measured()) {
  return crowded(kAlone, pass, Bytes{bytes}, crowd_of(ranks, cluster, profile));
}

double ranks_per_core(std::int64_t ranks, const Cluster& cluster) {
  return crowd_of(ranks, cluster, {}).ranks_per_core();
}

TEST(Crowding, RanksTakeTurnsOnTooFewCores) {
  const Cluster cluster = machine_of(2, 4);
  EXPECT_EQ(ranks_per_core(4, cluster), 2);
  EXPECT_EQ(ranks_per_core(3, cluster), 1.5);
  EXPECT_EQ(ranks_per_core(2, cluster), 1);
  EXPECT_EQ(ranks_per_core(1, cluster), 1);
}

TEST(Crowding, RanksOnOtherDevicesDoNotCount) {
  EXPECT_EQ(ranks_per_core(64, machine_of(2, 4)), 2);
}

TEST(Crowding, AGpuSharesItself) {
  EXPECT_EQ(ranks_per_core(4, cluster_of_gpus()), 1);
  EXPECT_EQ(beside_others(Pass::update, 81e6, 4, cluster_of_gpus()), kAlone);
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

TEST(Crowding, HowRanksShareACoreIsAssumed) {
  const Profile nothing_measured;
  const auto on_two_cores = [&](std::int64_t ranks) {
    return beside_others(Pass::forward, 81e6, ranks, machine_of(2, 8), nothing_measured);
  };
  EXPECT_EQ(on_two_cores(2), kAlone);
  EXPECT_EQ(on_two_cores(4).source, Source::assumed);
  EXPECT_DOUBLE_EQ(on_two_cores(4).uncertainty, std::hypot(0.1, 0.15));
  EXPECT_DOUBLE_EQ(on_two_cores(8).uncertainty, std::hypot(0.1, 0.225));
  Cost told = kAlone;
  told.fit = fit_number(3);
  const Crowd crowd = crowd_of(4, machine_of(2, 4), nothing_measured);
  EXPECT_EQ(crowded(told, Pass::forward, Bytes{}, crowd).fit, 0);
}

TEST(Crowding, WhatACoresCachesHoldIsItsOwn) {
  EXPECT_EQ(beside_others(Pass::update, 1e6, 2, machine_of(2, 2)), kAlone);
}

TEST(Crowding, NobodyWaitsLongerThanTheOthersTake) {
  const Cluster machine = machine_of(2, 2);
  EXPECT_DOUBLE_EQ(beside_others(Pass::update, 1e12, 2, machine).time / kAlone.time, 2);
  EXPECT_DOUBLE_EQ(beside_others(Pass::forward, 1e12, 2, machine).time / kAlone.time, 5.0 / 3);
}

TEST(Crowding, ASlowdownIsLostBesideWhateverOthersCompute) {
  Profile profile = measured();
  profile.contention.slowdown = 0.1;
  const auto beside = [&](Pass pass, double bytes) {
    return beside_others(pass, bytes, 2, machine_of(2, 2), profile).time.value;
  };
  EXPECT_NEAR(beside(Pass::forward, 81e6), 2.73e-3, 5e-6);
  EXPECT_DOUBLE_EQ(beside(Pass::forward, 0), 2.2e-3);
  EXPECT_DOUBLE_EQ(beside(Pass::update, 0), 2.2e-3);
  EXPECT_DOUBLE_EQ(beside(Pass::update, 1e12), 4e-3) << "no longer than the others take";
}

TEST(Crowding, WorkedSharing) {
  Profile profile = measured();
  profile.contention.sharing = 0.5;
  const auto beside = [&](double bytes) {
    return beside_others(Pass::update, bytes, 2, machine_of(2, 2), profile).time.value;
  };
  EXPECT_DOUBLE_EQ(beside(81e6), 2.4e-3);
  EXPECT_DOUBLE_EQ(beside(1e12), 3e-3) << "at most all of it, where all is shared";
}

TEST(Crowding, TheFitsErrorJoinsTheKernels) {
  const Cost beside = beside_others(Pass::forward, 81e6, 2, machine_of(2, 2));
  EXPECT_EQ(beside.source, Source::measured);
  EXPECT_NEAR(beside.uncertainty, std::hypot(0.1, 1.6449 * 1.4826 * 0.1), 1e-4);
}

}  // namespace crowding_test
}  // namespace oracle
