#include "oracle/cluster/kernel_fit.h"

#include <cmath>
#include <gtest/gtest.h>

namespace oracle {
namespace cluster_kernel_fit_test {

KernelKey key_of_samples(std::int64_t samples) {
  KernelKey key;
  key.kind = "activation";
  key.samples = samples;
  key.input = key.output = {64, 1, 16, 16};
  return key;
}

/// One point at 8 samples, 20 % above 1 us + 1 ns an operation.
KernelFit one_point() {
  KernelFit fit;
  fit.plain.launch = Seconds{1e-6};
  fit.plain.per_operation = 1e-9;
  fit.lengths.fill(1);
  fit.deviation = 0.5;
  fit.noise = 0.1;
  fit.spread = 1.6;
  fit.points = {{features_of(key_of_samples(8)), std::log(1.2)}};
  return fit;
}

double base(std::int64_t samples) { return 1e-6 + 1e-9 * static_cast<double>(samples) * 64 * 256; }

TEST(KernelFit, WorkedNumber) {
  const KernelFit fit = one_point();
  EXPECT_NEAR(price_of(fit, key_of_samples(8)).time.value, 1.2 * base(8), 1e-12);
  EXPECT_NEAR(price_of(fit, key_of_samples(8 << 8)).time.value, base(8 << 8), 1e-4 * base(8 << 8));
}

TEST(KernelFit, CovarianceIsMatern) {
  const KernelFit fit = one_point();
  KernelFeatures a{}, b{};
  EXPECT_DOUBLE_EQ(covariance(fit, a, b), 1);
  b[0] = 1;
  EXPECT_NEAR(covariance(fit, a, b), (1 + std::sqrt(3)) * std::exp(-std::sqrt(3)), 1e-15);
}

TEST(KernelFit, UncertaintyGrowsWithTheDistanceFromWhatWasMeasured) {
  const KernelFit fit = one_point();
  const Cost at = price_of(fit, key_of_samples(8));
  EXPECT_EQ(at.source, Source::interpolated);
  EXPECT_NEAR(at.uncertainty, std::expm1(1.6 * 0.1), 1e-12);
  const Cost far = price_of(fit, key_of_samples(8 << 8));
  EXPECT_EQ(far.source, Source::assumed);  // outside, and said so
  EXPECT_GT(far.uncertainty, 2 * std::expm1(1.6 * 0.5));
}

TEST(KernelFit, InsideMeansBetweenTheLeastAndTheMostOfEachFeature) {
  KernelFit fit = one_point();
  fit.points.push_back({features_of(key_of_samples(32)), 0});
  EXPECT_TRUE(inside(fit, features_of(key_of_samples(16))));
  EXPECT_FALSE(inside(fit, features_of(key_of_samples(64))));
  KernelKey other = key_of_samples(16);
  other.input[2] = other.output[2] = 17;
  EXPECT_FALSE(inside(fit, features_of(other)));
  fit.points.clear();
  EXPECT_FALSE(inside(fit, features_of(key_of_samples(16))));
}

TEST(KernelFit, TheTrendStaysWhatItIsAtTheEdgeOfWhatWasMeasured) {
  KernelFit fit = one_point();
  fit.points = {{features_of(key_of_samples(8)), 0}, {features_of(key_of_samples(32)), 0}};
  fit.center = features_of(key_of_samples(16));
  fit.slopes[0] = 0.2;
  EXPECT_NEAR(price_of(fit, key_of_samples(8)).time.value, base(8) * std::exp(-0.2), 1e-12);
  EXPECT_NEAR(price_of(fit, key_of_samples(32)).time.value, base(32) * std::exp(0.2), 1e-12);
  EXPECT_NEAR(price_of(fit, key_of_samples(1024)).time.value, base(1024) * std::exp(0.2), 1e-9);
}

TEST(KernelFit, WildWeightsStillGiveATime) {
  KernelFit fit = one_point();
  fit.points[0].weight = 900;
  const Cost cost = price_of(fit, key_of_samples(8));
  EXPECT_TRUE(std::isfinite(cost.time.value));
}

}  // namespace cluster_kernel_fit_test
}  // namespace oracle
