#include "oracle/cost/staging.h"

#include <gtest/gtest.h>
#include <vector>

#include "oracle/cost/price.h"
#include "tests/cost/samples.h"

namespace oracle {
namespace cost_staging_test {

class Staging : public testing::Test, protected OneConvolution {
 protected:
  static Transfer transfer(Collective collective, Payload payload = Payload::activation) {
    return {collective, 2, Bytes{1e6}, payload, 0};
  }
  Staged staged(const Transfer& of) const { return staged_bytes(plan, of); }
  const std::vector<CopySpeed> speeds = {{Bytes{1e6}, Bandwidth{20e9}, Bandwidth{20e9}},
                                         {Bytes{64e6}, Bandwidth{10e9}, Bandwidth{10e9}}};
};

TEST_F(Staging, WorkedExample) {
  EXPECT_EQ(staged(transfer(Collective::all_gather)), (Staged{Bytes{0.25e6}, Bytes{1e6}, {}}));
  EXPECT_EQ(staged(transfer(Collective::reduce_scatter)), (Staged{Bytes{1e6}, Bytes{0.25e6}, {}}));
  EXPECT_EQ(staged(transfer(Collective::all_reduce)), (Staged{Bytes{1e6}, Bytes{1e6}, {}}));
}

TEST_F(Staging, BesideAHaloTheTensorIsCopied) {
  Transfer halo = transfer(Collective::halo_exchange);
  halo.beside = Bytes{7e6};
  EXPECT_EQ(staged(halo), (Staged{Bytes{1e6}, Bytes{1e6}, Bytes{7e6}}));
  EXPECT_NEAR(staging_time(plan, halo, speeds).value,
              0.1e-3 + 7e6 / copy_speed(speeds, halo.beside).unpack.value, 1e-12);
  halo.beside = Bytes{64e6};
  EXPECT_NEAR(staging_time(plan, halo, speeds).value, 6.5e-3, 1e-12);
}

TEST_F(Staging, ToUnpackMayBeSlowerThanToPack) {
  const std::vector<CopySpeed> slower = {{Bytes{1e6}, Bandwidth{20e9}, Bandwidth{5e9}}};
  EXPECT_NEAR(staging_time(plan, transfer(Collective::all_gather), slower).value,
              0.25e6 / 20e9 + 1e6 / 5e9, 1e-12);
  EXPECT_NEAR(staging_time(plan, transfer(Collective::reduce_scatter), slower).value,
              1e6 / 20e9 + 0.25e6 / 5e9, 1e-12);
  Transfer halo = transfer(Collective::halo_exchange);
  halo.beside = Bytes{1e6};
  EXPECT_NEAR(staging_time(plan, halo, slower).value, 1e6 / 20e9 + 2e6 / 5e9, 1e-12);
}

TEST_F(Staging, WhatGoesRoundIsNotCopied) {
  EXPECT_EQ(staged(transfer(Collective::ring_pass)), Staged{});
}

TEST_F(Staging, GradientsAreInNoCache) {
  const Transfer gradients = transfer(Collective::all_reduce, Payload::weight_gradient);
  EXPECT_NEAR(staging_time(plan, gradients, speeds).value, 0.2e-3, 1e-12);
}

TEST_F(Staging, StatisticsAreFew) {
  EXPECT_EQ(staged(transfer(Collective::all_reduce, Payload::statistics)), Staged{});
}

TEST_F(Staging, IsPartOfThePriceWhereItWasMeasured) {
  const Cluster cluster = cluster_of_gpus();
  const Transfer all_reduce = transfer(Collective::all_reduce);
  const auto seconds = [&](const Profile& profile) {
    return price_transfer(plan, all_reduce, cluster, profile).cost.time.value;
  };
  Profile profile;
  const double none = seconds(profile);
  profile.staging = {{Bytes{1}, Bandwidth{4e9}, Bandwidth{4e9}}};
  EXPECT_NEAR(seconds(profile), none + 0.5e-3, 1e-12);
  profile.staging = {{Bytes{1e6}, Bandwidth{8e9}, Bandwidth{8e9}},
                     {Bytes{1e8}, Bandwidth{4e9}, Bandwidth{4e9}}};
  EXPECT_NEAR(seconds(profile), none + 0.25e-3, 1e-12) << "1 MB at a time";
}

}  // namespace cost_staging_test
}  // namespace oracle
