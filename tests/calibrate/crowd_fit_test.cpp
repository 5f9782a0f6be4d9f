#include "oracle/calibrate/crowd_fit.h"

#include <cmath>
#include <gtest/gtest.h>

#include "oracle/calibrate/kernel_table.h"

namespace oracle {
namespace crowd_fit_test {

/// A kernel that takes 1 ms alone, and so many beside others. A sigmoid reads and writes 4 bytes of
/// each element.
CrowdedKernel kernel_of(double megabytes, double beside, std::int64_t ranks = 2) {
  CrowdedKernel kernel;
  const auto elements = static_cast<std::int64_t>(megabytes * 1e6 / 8);
  kernel.alone.layer =
      parse_layer_case("activation 1:" + std::to_string(elements) + " function=sigmoid");
  kernel.alone.time = {Seconds{1e-3}, Seconds{1e-3}, Seconds{1e-3}, 1};
  kernel.beside = Seconds{1e-3 * beside};
  kernel.ranks = ranks;
  return kernel;
}

TEST(CrowdFit, WorkedNumber) {
  const double own = 2.097152;
  const std::vector<CrowdedKernel> measured = {kernel_of(1, 1),         kernel_of(2, 1),
                                               kernel_of(own + 4, 1.4), kernel_of(own + 6, 1.6),
                                               kernel_of(own + 8, 1.8), kernel_of(4, 1.9)};
  ASSERT_NEAR(traffic_of(measured[1].alone).value, 2e6, 1);
  const Contention contention = fit_contention(measured);
  EXPECT_EQ(contention.ranks, 2);
  EXPECT_EQ(contention.own.value, 2097152);
  EXPECT_NEAR(contention.slope, 0.1e-9, 1e-13);
  EXPECT_NEAR(contention.residual, 0, 1e-6);
}

TEST(CrowdFit, WorkedSlowdown) {
  const double own = 2.097152;
  const std::vector<CrowdedKernel> measured = {kernel_of(1, 1.1),       kernel_of(2, 1.1),
                                               kernel_of(own + 4, 1.5), kernel_of(own + 6, 1.7),
                                               kernel_of(own + 8, 1.9), kernel_of(4, 1.9)};
  const Contention contention = fit_contention(measured);
  EXPECT_DOUBLE_EQ(contention.slowdown, 0.1);
  EXPECT_NEAR(contention.slope, 0.1e-9, 1e-13);
}

TEST(CrowdFit, SlowdownsOfAPercent) {
  const std::vector<CrowdedKernel> measured = {kernel_of(1, 1.03), kernel_of(2, 1.03),
                                               kernel_of(3, 1.03), kernel_of(4, 1.03)};
  const Contention contention = fit_contention(measured);
  EXPECT_DOUBLE_EQ(contention.slowdown, 0.03);
  EXPECT_EQ(contention.slope, 0);
}

TEST(CrowdFit, HowMuchIsSharedIsToldApartFromWhatSharingCosts) {
  std::vector<CrowdedKernel> measured;
  for (int i = 0; i < 6; ++i) {
    const double longer = 0.1 * (i + 1);
    for (const double sharing : {0.0, 0.5, 1.0, 0.5}) {
      measured.push_back(kernel_of(2.097152 + i + 1, 1 + sharing * longer));
      measured.back().sharing = sharing;
    }
  }
  const Contention contention = fit_contention(measured);
  EXPECT_NEAR(contention.slope, 0.1e-9, 1e-13) << "where all is shared";
  EXPECT_DOUBLE_EQ(contention.sharing, 0.5);
  EXPECT_NEAR(contention.residual, 0, 1e-6);
}

/// So many kernels in a row with each of these shares.
std::vector<CrowdedKernel> kernels_sharing(std::initializer_list<double> shares, int each) {
  std::vector<CrowdedKernel> measured;
  for (const double share : shares) {
    for (int i = 0; i < each; ++i) {
      measured.push_back(kernel_of(1, 1));
      measured.back().sharing = share;
    }
  }
  return measured;
}

TEST(CrowdFit, OneSpellOnAVirtualMachineSaysLittleOfTheNext) {
  const auto measured = kernels_sharing({1}, 20);
  const Contention stays = fit_contention(measured);
  EXPECT_DOUBLE_EQ(stays.sharing, 1);
  const Contention moves = fit_contention(measured, Placement::moves);
  EXPECT_DOUBLE_EQ(moves.sharing, 2.0 / 3);
}

TEST(CrowdFit, OfManySpellsTheirMeanIsTold) {
  const auto measured = kernels_sharing({0, 1, 0, 1, 0, 1, 0, 1, 0.4, 0.6}, 5);
  const Contention moves = fit_contention(measured, Placement::moves);
  EXPECT_DOUBLE_EQ(moves.sharing, 0.5) << "and so it would be of one";
}

TEST(CrowdFit, WhatIsCappedIsTheLossWhereAllIsShared) {
  const double own = 2.097152;
  std::vector<CrowdedKernel> measured = {kernel_of(own + 2, 1.2), kernel_of(own + 4, 1.4),
                                         kernel_of(own + 6, 1.6)};
  measured.push_back(kernel_of(200, 1.5));
  measured.back().sharing = 0.5;
  EXPECT_NEAR(fit_contention(measured).residual, 0, 1e-6);
}

TEST(CrowdFit, NobodyWaitsWhereNoKernelTookLonger) {
  const std::vector<CrowdedKernel> measured = {kernel_of(1, 1), kernel_of(20, 0.98)};
  const Contention contention = fit_contention(measured);
  EXPECT_EQ(contention.ranks, 2);
  EXPECT_EQ(contention.slope, 0);
}

TEST(CrowdFit, OnlyTheLargestCrowdCounts) {
  const std::vector<CrowdedKernel> measured = {kernel_of(4, 1.1, 2), kernel_of(4, 1.6, 4)};
  const Contention contention = fit_contention(measured);
  EXPECT_EQ(contention.ranks, 4);
  EXPECT_NEAR(contention.slope * (4e6 - contention.own.value), 0.6e-3, 1e-9);
}

TEST(CrowdFit, NothingOfNothing) { EXPECT_EQ(fit_contention({}), Contention{}); }

}  // namespace crowd_fit_test
}  // namespace oracle
