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

Cost beside_others(Pass pass, double bytes, std::int64_t ranks, const Cluster& cluster) {
  const Crowd crowd = crowd_of(ranks, cluster, measured());
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
  const Crowd crowd = crowd_of(4, machine_of(2, 4), measured());
  const Shares shares = shares_of(crowd, Seconds{1}, Seconds{1}, Seconds{0.5});
  EXPECT_NEAR(shares.computing, 2.0 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(shares.moving, 0.5);
  const Company found = company(crowd, shares, Seconds{2e-3}, 2);
  EXPECT_DOUBLE_EQ(found.turns, 1.5);
  EXPECT_DOUBLE_EQ(found.later, 0.5) << "of 2 ms";
  EXPECT_DOUBLE_EQ(found.meets, 5.0 / 6);
  EXPECT_NEAR(company(crowd, {0, 0}, Seconds{1e-6}, 2).turns, 1, 1e-3);
  EXPECT_NEAR(company(crowd, {0, 0}, Seconds{10}, 2).turns, 2, 1e-3);
}

TEST(Crowding, TurnsAreThoseMeasured) {
  Profile profile;
  profile.turns = {{0.4, Seconds{4e-3}, 2}, {0, Seconds{1e-3}, 4}};
  const Crowd crowd = crowd_of(4, machine_of(2, 4), profile);
  EXPECT_DOUBLE_EQ(company(crowd, {0, 0}, Seconds{1e-3}, 2).turns, 1.52);
  EXPECT_DOUBLE_EQ(company(crowd, {0, 0}, Seconds{1e-3}, 2).later, 0.48);
  EXPECT_DOUBLE_EQ(company(crowd, {0, 0}, Seconds{1e-3}, 4).turns, 1.5);
}

TEST(Crowding, WhoWaitsTakesWhatItsMessageNeedsWhileBytesMove) {
  Profile profile;
  profile.overlap = {0.5, 1};
  const Crowd crowd = crowd_of(4, machine_of(2, 4), profile);
  const Company found = company(crowd, {0, 0.5}, Seconds{2e-3}, 2);
  EXPECT_DOUBLE_EQ(found.turns, 1.625) << "one of two waits, and wants half of what both do";
  EXPECT_DOUBLE_EQ(found.alone, 0.5);
  EXPECT_DOUBLE_EQ(found.later, 0.5) << "a message goes on meanwhile";
  EXPECT_DOUBLE_EQ(company(crowd, {0, 0}, Seconds{2e-3}, 2).turns, 1.5) << "nothing but latency";
  profile.overlap = {5, 5};
  EXPECT_DOUBLE_EQ(company(crowd_of(4, machine_of(2, 4), profile), {0, 1}, Seconds{2e-3}, 2).turns,
                   2)
      << "no more than a turn of each";
  EXPECT_DOUBLE_EQ(company(crowd_of(2, machine_of(2, 2), profile), {0, 1}, Seconds{2e-3}, 2).turns,
                   1);
}

TEST(Crowding, AMessageIsLateWhereRanksHaveACoreEach) {
  Profile profile;
  profile.lateness = {Seconds{20e-6}, 0.01};
  const Crowd apart = crowd_of(2, machine_of(2, 2), profile);
  EXPECT_DOUBLE_EQ(late_after(apart, Seconds{2e-3}).value, 40e-6);
  EXPECT_EQ(late_after(apart, Seconds{}).value, 0) << "nothing was computed";
  EXPECT_EQ(late_after(crowd_of(4, machine_of(2, 4), profile), Seconds{2e-3}).value, 0);
  EXPECT_EQ(late_after(crowd_of(2, cluster_of_gpus(), profile), Seconds{2e-3}).value, 0);
}

TEST(Crowding, AllTurnsAreTakenSomewhere) {
  const Crowd crowd = crowd_of(6, machine_of(2, 6), {});
  for (const double stretch : {1e-6, 1e-3, 1.0}) {
    const Company found = company(crowd, {0.5, 0}, Seconds{stretch}, 2);
    EXPECT_DOUBLE_EQ(found.turns + found.later, 3);
  }
}

TEST(Crowding, RanksThatOnlyComputeAlwaysMeet) {
  const Crowd crowd = crowd_of(4, machine_of(2, 4), measured());
  EXPECT_EQ(shares_of(crowd, Seconds{1}, Seconds{}, Seconds{}).computing, 1);
  EXPECT_EQ(shares_of(crowd, Seconds{}, Seconds{}, Seconds{}).computing, 1);
  EXPECT_EQ(company(crowd, {}, Seconds{1e-3}, 2).meets, 1);
}

TEST(Crowding, RanksWithACoreEachTakeNoTurnsAndShareMemoryWhileTheyCompute) {
  const Crowd crowd = crowd_of(2, machine_of(2, 2), measured());
  const Company found = company(crowd, {0.5, 0}, Seconds{2e-3}, 2);
  EXPECT_EQ(found.turns, 1);
  EXPECT_EQ(found.later, 0);
  EXPECT_DOUBLE_EQ(found.meets, 0.75);
  EXPECT_NEAR(crowded(kAlone, Pass::forward, Bytes{81e6}, crowd, found).time.value, 2.4e-3, 1e-6);
}

/// Two ranks with a core each, which meet 20 us late and 10 us for each millisecond.
Crowd of_two_that_come_apart() {
  Profile profile = measured();
  profile.lateness = {Seconds{20e-6}, 0.01};
  return crowd_of(2, machine_of(2, 2), profile);
}

TEST(Crowding, RanksComeApartAsTheyCompute) {
  const Apart apart = apart_in(of_two_that_come_apart(), Seconds{1e-3}, Seconds{2e-3}, 0.1);
  EXPECT_DOUBLE_EQ(apart.by.value, 40e-6);
  EXPECT_DOUBLE_EQ(apart.at_once(Seconds{50e-6}), 0.2);
  EXPECT_DOUBLE_EQ(apart.at_once(Seconds{2e-3}), 0.98);
  EXPECT_DOUBLE_EQ(apart.at_once(Seconds{40e-6}), 0.1) << "whatever the other computes";
  EXPECT_DOUBLE_EQ(apart.at_once(Seconds{}), 0.1);
}

TEST(Crowding, WhatRanksApartWaitForMemoryIsWhatCoincides) {
  const Crowd crowd = of_two_that_come_apart();
  Company found = closest_company(crowd);
  EXPECT_DOUBLE_EQ(waits_for_memory(kAlone, Bytes{81e6}, crowd).value, 0.8e-3);
  found.apart = {Seconds{0.5e-3}, 0.1};
  EXPECT_DOUBLE_EQ(crowded(kAlone, Pass::forward, Bytes{81e6}, crowd, found).time.value, 2.6e-3);
  EXPECT_DOUBLE_EQ(crowded(kAlone, Pass::update, Bytes{81e6}, crowd, found).time.value, 2.8e-3)
      << "which ranks begin together";
  found.apart = Apart{.chance = 0.1};
  EXPECT_DOUBLE_EQ(crowded(kAlone, Pass::forward, Bytes{81e6}, crowd, found).time.value, 2.08e-3);
}

TEST(Crowding, HowFarRanksAreApartIsNotKnownOfThoseThatTakeTurns) {
  Profile profile = measured();
  const Seconds stretch{2e-3};
  EXPECT_DOUBLE_EQ(
      apart_in(crowd_of(2, machine_of(2, 2), profile), {}, stretch, 0.1).at_once(stretch), 2.0 / 3);
  profile.lateness = {Seconds{20e-6}, 0.01};
  EXPECT_DOUBLE_EQ(
      apart_in(crowd_of(4, machine_of(2, 4), profile), {}, stretch, 0.1).at_once(stretch), 2.0 / 3);
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

TEST(Crowding, ASlowdownIsLostBesideWhateverOthersCompute) {
  Profile profile = measured();
  profile.contention.slowdown = 0.1;
  const Crowd crowd = crowd_of(2, machine_of(2, 2), profile);
  const auto beside = [&](Pass pass, double bytes) {
    return crowded(kAlone, pass, Bytes{bytes}, crowd, closest_company(crowd)).time.value;
  };
  EXPECT_NEAR(beside(Pass::forward, 81e6), 2.73e-3, 5e-6);
  EXPECT_DOUBLE_EQ(beside(Pass::forward, 0), 2.2e-3);
  EXPECT_DOUBLE_EQ(beside(Pass::update, 0), 2.2e-3);
  EXPECT_DOUBLE_EQ(beside(Pass::update, 1e12), 4e-3) << "no longer than the others take";
}

TEST(Crowding, WhatChangesFromTimeToTimeIsCommonToAllKernels) {
  Profile profile = measured();
  profile.contention.drift = 0.08;
  const Crowd crowd = crowd_of(2, machine_of(2, 2), profile);
  const Cost beside = crowded(kAlone, Pass::forward, Bytes{81e6}, crowd, closest_company(crowd));
  EXPECT_NEAR(beside.common, 1.6449 * 0.08, 1e-12);
  EXPECT_NEAR(beside.uncertainty, std::hypot(0.1, 1.6449 * 1.4826 * 0.1), 1e-4)
      << "a part of what the fit is off by";
  const Cost cached = crowded(kAlone, Pass::forward, Bytes{1e6}, crowd, closest_company(crowd));
  EXPECT_EQ(cached.time, kAlone.time);
  EXPECT_NEAR(cached.uncertainty, std::hypot(0.1, cached.common), 1e-12);
  EXPECT_EQ(cached.common, beside.common) << "for what loses nothing, too";
}

TEST(Crowding, WorkedSharing) {
  Profile profile = measured();
  profile.contention = {2, Bytes{1e6}, 0.01e-9, 0, 0, 0, 0.5, 0.25};
  const Crowd crowd = crowd_of(2, machine_of(2, 2), profile);
  const Cost beside = crowded(kAlone, Pass::update, Bytes{81e6}, crowd, closest_company(crowd));
  EXPECT_DOUBLE_EQ(beside.time.value, 2.4e-3);
  EXPECT_NEAR(beside.common, 0.14, 5e-3);
  EXPECT_DOUBLE_EQ(beside.uncertainty, std::hypot(0.1, beside.common));
  const Cost streams = crowded(kAlone, Pass::update, Bytes{1e12}, crowd, closest_company(crowd));
  EXPECT_DOUBLE_EQ(streams.time.value, 3e-3) << "at most all of it, where all is shared";
  const Cost cached = crowded(kAlone, Pass::update, Bytes{1e6}, crowd, closest_company(crowd));
  EXPECT_EQ(cached.common, 0) << "whose cores have nothing to share";
}

TEST(Crowding, TheFitsErrorJoinsTheKernels) {
  const Cost beside = beside_others(Pass::forward, 81e6, 2, machine_of(2, 2));
  EXPECT_EQ(beside.source, Source::measured);
  EXPECT_NEAR(beside.uncertainty, std::hypot(0.1, 1.6449 * 1.4826 * 0.1), 1e-4);
}

}  // namespace crowding_test
}  // namespace oracle
