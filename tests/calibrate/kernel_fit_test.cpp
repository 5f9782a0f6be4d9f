#include "oracle/calibrate/kernel_fit.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "oracle/base/statistics.h"

namespace oracle {
namespace calibrate_kernel_fit_test {

KernelKey dense(std::int64_t samples, std::int64_t in, std::int64_t out) {
  KernelKey key;
  key.kind = "dense";
  key.samples = samples;
  key.input[0] = in;
  key.output[0] = out;
  key.contraction = true;
  return key;
}

/// A machine whose efficiency falls off for few samples.
double time_of(const KernelKey& key) {
  const double efficiency =
      static_cast<double>(key.samples) / (static_cast<double>(key.samples) + 8);
  return 2e-6 + 0.5e-9 * work_of(key).operations / efficiency;
}

std::vector<KernelTime> table(std::size_t count, unsigned seed, double noise = 0) {
  std::vector<KernelTime> kernels;
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int64_t> exponent(4, 10), few(0, 7);
  std::normal_distribution<double> error(0, 1);
  while (kernels.size() < count) {
    const KernelKey key = dense(std::int64_t{1} << few(random), std::int64_t{1} << exponent(random),
                                std::int64_t{1} << exponent(random));
    kernels.push_back(
        {key, {Seconds{time_of(key) * std::exp(noise * error(random))}, Source::measured, 0.02}});
  }
  return kernels;
}

double worst(const KernelFit& fit, const std::vector<KernelTime>& kernels) {
  double error = 0;
  for (const KernelTime& kernel : kernels) {
    const double found = price_of(fit, kernel.key).time.value;
    error = std::max(error, std::abs(std::log(found / kernel.cost.time.value)));
  }
  return error;
}

TEST(KernelFit, WorkedNumber) {
  std::vector<KernelTime> kernels = table(30, 1);
  for (KernelTime& kernel : kernels) {
    kernel.cost.time = Seconds{2e-6 + 0.5e-9 * work_of(kernel.key).operations};
  }
  kernels[4].cost.time = kernels[4].cost.time * 10;
  kernels[20].cost.time = kernels[20].cost.time * 10;
  const KernelFit fit = fit_family(kernels);
  EXPECT_NEAR(fit.plain.launch.value, 2e-6, 0.1e-6);
  EXPECT_NEAR(fit.plain.per_operation, 0.5e-9, 0.02e-9);
  EXPECT_EQ(fit.outliers, 2);
}

TEST(KernelFit, ForetellsShapesThatItHasNotSeen) {
  const KernelFit fit = fit_family(table(60, 1));
  EXPECT_LT(fit.median_error, 0.05);
  EXPECT_FALSE(is_bad(fit));
  EXPECT_LT(worst(fit, table(40, 2)), 0.3);
}

TEST(KernelFit, AFewKernelsTenTimesAsSlowDoNotMoveIt) {
  const std::vector<KernelTime> clean = table(60, 1);
  std::vector<KernelTime> spoilt = clean;
  for (const std::size_t slow : {5U, 22U, 48U}) {
    spoilt[slow].cost.time = spoilt[slow].cost.time * 10;
  }
  const KernelFit before = fit_family(clean), after = fit_family(spoilt);
  EXPECT_GE(after.outliers, 3);
  std::vector<double> moved;
  for (const KernelTime& kernel : table(41, 2)) {
    moved.push_back(std::abs(std::log(price_of(after, kernel.key).time.value /
                                      price_of(before, kernel.key).time.value)));
  }
  std::nth_element(moved.begin(), moved.begin() + 20, moved.end());
  EXPECT_LT(moved[20], 0.05);
  EXPECT_LT(*std::max_element(moved.begin(), moved.end()), 0.4);
}

TEST(KernelFit, NineInTenLieInsideTheInterval) {
  const KernelFit fit = fit_family(table(80, 1, 0.1));
  int covered = 0, all = 0;
  for (const KernelTime& kernel : table(200, 3, 0.1)) {
    const Cost cost = price_of(fit, kernel.key);
    const double off = std::abs(std::log(kernel.cost.time.value / cost.time.value));
    covered += off <= std::log1p(cost.uncertainty) ? 1 : 0;
    ++all;
  }
  EXPECT_GE(covered, all * 80 / 100);
  EXPECT_LE(covered, all * 99 / 100);
}

/// Adding two tensors, each element three times as long beyond 2^18 of them.
std::vector<KernelTime> sums_past_a_cache(double slower) {
  std::vector<KernelTime> kernels;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(4, 10);
  while (kernels.size() < 40) {
    KernelKey key;
    key.kind = "add";
    key.inputs = 2;
    key.samples = 8;
    key.input[0] = key.output[0] = std::lround(std::exp2(exponent(random)));
    key.input[3] = key.output[3] = std::lround(std::exp2(exponent(random)));
    const double elements = work_of(key).elements;
    const double seconds = 2e-6 + 0.1e-9 * (elements + slower * std::max(0.0, elements - 0x1p18));
    kernels.push_back({key, {Seconds{seconds}, Source::measured, 0.02}});
  }
  return kernels;
}

TEST(KernelFit, WhatStreamsIsSlowerPastAFullCache) {
  const KernelFit fit = fit_family(sums_past_a_cache(2));
  ASSERT_FALSE(fit.plain.full_caches.empty());
  EXPECT_LT(fit.high_error, 0.02);
  EXPECT_TRUE(fit_family(sums_past_a_cache(0)).plain.full_caches.empty());
}

TEST(KernelFit, TimesWithoutAPatternMakeABadFit) {
  const KernelFit fit = fit_family(table(40, 1, 1.0));
  EXPECT_TRUE(is_bad(fit));
}

TEST(KernelFit, FamiliesPassesAndFormatsAreFittedApart) {
  std::vector<KernelTime> all = table(10, 1), more = table(10, 2);
  for (KernelTime& kernel : more) kernel.key.pass = 1;
  all.insert(all.end(), more.begin(), more.end());
  KernelTime lone = all.front();
  lone.key.kind = "add";
  all.push_back(lone);
  const std::vector<KernelFit> fits = fit_kernels(all);
  ASSERT_EQ(fits.size(), 2U);  // one kernel is no family
  EXPECT_EQ(fits[0].pass, 0);
  EXPECT_EQ(fits[1].pass, 1);
  EXPECT_EQ(fits[0].points.size(), 10U);
}

TEST(KernelFit, WhatOnlyEveryOtherKernelShowsIsSeen) {
  std::vector<KernelTime> kernels = table(200, 1);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelTime& kernel = kernels[i];
    if (i % 2 == 0) kernel.key.input[0] = 256;
    const bool favoured = std::lround(std::log2(kernel.key.input[0])) % 2 == 0;
    kernel.cost.time = Seconds{time_of(kernel.key) * (favoured ? 1 : 1.5)};
  }
  const KernelFit fit = fit_family(kernels);
  EXPECT_LE(fit.lengths[1], 1);
  EXPECT_LT(fit.high_error, 0.05);
}

/// Lengths are chosen so that few kernels lie on the fit, which says nothing of others.
TEST(KernelFit, FewKernelsMakeNoIntervalNarrowerThanTheModel) {
  for (const std::size_t count : {4U, 6U, 10U}) {
    EXPECT_GE(fit_family(table(count, 1)).spread, kNormal90) << count;
  }
}

TEST(KernelFit, IsTheSameEachTime) {
  EXPECT_EQ(fit_family(table(30, 1)), fit_family(table(30, 1)));
}

}  // namespace calibrate_kernel_fit_test
}  // namespace oracle
