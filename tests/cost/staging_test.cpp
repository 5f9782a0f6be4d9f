#include "oracle/cost/staging.h"

#include <gtest/gtest.h>
#include <vector>

#include "oracle/cost/price.h"
#include "tests/cost/samples.h"

namespace oracle {
namespace {

class Staging : public testing::Test, protected OneConvolution {
 protected:
  static Transfer transfer(Collective collective, Payload payload = Payload::activation) {
    return {collective, 2, Bytes{1e6}, payload, 0};
  }
  double staged(const Transfer& of) const { return staged_bytes(plan, of).value; }
};

TEST_F(Staging, WorkedExample) {
  EXPECT_EQ(staged(transfer(Collective::all_reduce)), 2e6);
  EXPECT_EQ(staged(transfer(Collective::all_gather)), 1.25e6);
}

TEST_F(Staging, BesideAHaloTheTensorIsCopied) {
  Transfer halo = transfer(Collective::halo_exchange);
  halo.beside = Bytes{7e6};
  EXPECT_EQ(staged(halo), 9e6);
  const std::vector<CopySpeed> speeds = {{Bytes{1e6}, Bandwidth{20e9}},
                                         {Bytes{64e6}, Bandwidth{10e9}}};
  EXPECT_NEAR(staging_time(plan, halo, speeds).value,
              0.1e-3 + 7e6 / copy_speed(speeds, halo.beside).value, 1e-12);
  halo.beside = Bytes{64e6};
  EXPECT_NEAR(staging_time(plan, halo, speeds).value, 6.5e-3, 1e-12);
}

TEST_F(Staging, GradientsAreInNoCache) {
  const Transfer gradients = transfer(Collective::all_reduce, Payload::weight_gradient);
  const std::vector<CopySpeed> speeds = {{Bytes{1e6}, Bandwidth{20e9}},
                                         {Bytes{64e6}, Bandwidth{10e9}}};
  EXPECT_NEAR(staging_time(plan, gradients, speeds).value, 0.2e-3, 1e-12);
}

TEST_F(Staging, StatisticsAreFew) {
  EXPECT_EQ(staged(transfer(Collective::all_reduce, Payload::statistics)), 0);
}

TEST_F(Staging, IsPartOfThePriceWhereItWasMeasured) {
  const Cluster cluster = cluster_of_gpus();
  const Transfer all_reduce = transfer(Collective::all_reduce);
  const auto seconds = [&](const Profile& profile) {
    return price_transfer(plan, all_reduce, cluster, profile).cost.time.value;
  };
  Profile profile;
  const double none = seconds(profile);
  profile.staging = {{Bytes{1}, Bandwidth{4e9}}};
  EXPECT_NEAR(seconds(profile), none + 0.5e-3, 1e-12);
  profile.staging = {{Bytes{1e6}, Bandwidth{8e9}}, {Bytes{1e8}, Bandwidth{4e9}}};
  EXPECT_NEAR(seconds(profile), none + 0.25e-3, 1e-12) << "1 MB at a time";
}

}  // namespace
}  // namespace oracle
