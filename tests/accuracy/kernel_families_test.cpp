#include "oracle/accuracy/kernel_families.h"

#include <gtest/gtest.h>

namespace oracle {
namespace kernel_families_test {

/// A product of samples · 2 · 1000 · 500 operations.
KernelTime dense(std::int64_t samples, double seconds) {
  KernelTime kernel;
  kernel.key.kind = "dense";
  kernel.key.samples = samples;
  kernel.key.input = {1000, 1, 1, 1};
  kernel.key.output = {500, 1, 1, 1};
  kernel.key.contraction = true;
  kernel.cost = {Seconds{seconds}, Source::measured, 0.1};
  return kernel;
}

TEST(KernelFamilies, WorkedNumber) {
  Profile first, second;
  first.kernels = {dense(1, 10e-6), dense(1, 30e-6)};
  first.kernels[1].key.dilation = {1, 1, 2};
  second.kernels = {dense(1, 5e-6), first.kernels[1]};
  const auto rates = family_rates(first, second);
  ASSERT_EQ(rates.size(), 1U);
  EXPECT_EQ(rates[0].key.name, "dense forward fp32");
  EXPECT_EQ(rates[0].key.unit, ParameterUnit::flops_per_second);
  EXPECT_EQ(rates[0].shapes, 2U);
  EXPECT_NEAR(rates[0].first.value, 50e9, 1);
  EXPECT_NEAR(rates[0].first.uncertainty, 0.1, 1e-12);
  EXPECT_NEAR(rates[0].second.value, 2e6 / 35e-6, 1);
}

TEST(KernelFamilies, WhatStreamsIsCountedInBytes) {
  KernelTime add;
  add.key.kind = "add";
  add.key.inputs = 2;
  add.key.input = add.key.output = {100, 1, 10, 10};
  add.cost = {Seconds{1e-6}, Source::measured, 0};
  Profile profile;
  profile.kernels = {add};
  const auto rates = family_rates(profile, profile);
  ASSERT_EQ(rates.size(), 1U);
  EXPECT_EQ(rates[0].key.unit, ParameterUnit::bytes_per_second);
  EXPECT_NEAR(rates[0].first.value, 4 * 30000 / 1e-6, 1);
}

TEST(KernelFamilies, AShapeOfOneSideCountsWhereTheOtherCanInterpolate) {
  Profile first, second;
  first.kernels = {dense(2, 10e-6)};
  second.kernels = {dense(1, 10e-6), dense(4, 20e-6)};
  EXPECT_TRUE(family_rates(first, second).empty());
  KernelFit fit;
  fit.family = "dense";
  fit.plain.launch = Seconds{12e-6};
  fit.lengths.fill(1);
  for (const KernelTime& kernel : second.kernels)
    fit.points.push_back({features_of(kernel.key), 0});
  second.fits = {fit};
  const auto rates = family_rates(first, second);
  ASSERT_EQ(rates.size(), 1U);
  EXPECT_EQ(rates[0].shapes, 1U);
  EXPECT_NEAR(rates[0].second.value, 2e6 / 12e-6, 1);
  first.kernels = {dense(8, 10e-6)};
  EXPECT_TRUE(family_rates(first, second).empty()) << "outside of the shapes measured";
}

}  // namespace kernel_families_test
}  // namespace oracle
