#include "oracle/cost/profiled_kernels.h"

#include <gtest/gtest.h>

#include "oracle/cost/price.h"

namespace oracle {
namespace profiled_kernels_test {

KernelKey key_of_samples(std::int64_t samples) {
  KernelKey key;
  key.kind = "add";
  key.samples = samples;
  key.input = key.output = {64, 1, 16, 16};
  return key;
}

TEST(ProfiledKernels, AreThePricesOfTheProfile) {
  Profile profile;
  profile.kernels = {{key_of_samples(2), {Seconds{1e-3}, Source::measured, 0.1}}};
  KernelFit fit;
  fit.family = "add";
  fit.plain.launch = Seconds{1e-6};
  fit.plain.per_element = 1e-9;
  fit.lengths.fill(1);
  profile.fits = {fit};
  ProfiledKernels kernels(profile);
  EXPECT_FALSE(kernels.empty());
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t samples = 1; samples <= 300; ++samples) {
      const Cost* found = kernels.find(key_of_samples(samples));
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(*found, *profiled_price(key_of_samples(samples), profile));
    }
  }
  EXPECT_EQ(kernels.size(), 300U);
  EXPECT_EQ(kernels.find(key_of_samples(2))->source, Source::measured);
}

TEST(ProfiledKernels, WhatNobodyMeasuredIsNotFound) {
  const Profile nothing;
  EXPECT_TRUE(ProfiledKernels(nothing).empty());
  Profile profile;
  profile.kernels = {{key_of_samples(2), {Seconds{1e-3}, Source::measured, 0.1}}};
  ProfiledKernels kernels(profile);
  EXPECT_EQ(kernels.find(key_of_samples(3)), nullptr);
  KernelKey other = key_of_samples(2);
  other.kernel[2] = 3;
  EXPECT_EQ(kernels.find(other), nullptr);
}

}  // namespace profiled_kernels_test
}  // namespace oracle
