#include "oracle/calibrate/kriging.h"

#include <cmath>
#include <gtest/gtest.h>

namespace oracle {
namespace kriging_test {

KernelFit fit_with(double length) {
  KernelFit fit;
  fit.lengths.fill(length);
  fit.deviation = 0.5;
  fit.noise = 0.05;
  return fit;
}

std::vector<KernelFeatures> line(std::size_t n) {
  std::vector<KernelFeatures> at(n);
  for (std::size_t i = 0; i < n; ++i) at[i][0] = static_cast<double>(i);
  return at;
}

double foretold(const KernelFit& fit, const std::vector<KernelFeatures>& at,
                const std::vector<double>& weights, const KernelFeatures& where) {
  double sum = fit.mean;
  for (std::size_t i = 0; i < at.size(); ++i) {
    sum += weights[i] * covariance(fit, at[i], where);
  }
  return sum;
}

TEST(Kriging, WithoutNoiseItPassesThroughEveryPoint) {
  const KernelFit fit = fit_with(2);
  const std::vector<KernelFeatures> at = line(6);
  const std::vector<double> values = {0.1, 0.3, -0.2, 0.05, 0.2, 0}, noise(6, 1e-6);
  const Kriging found = krige(fit, at, values, noise);
  for (std::size_t i = 0; i < at.size(); ++i) {
    EXPECT_NEAR(foretold(fit, at, found.weights, at[i]), values[i], 1e-6);
  }
}

TEST(Kriging, LeftOutErrorsAreThoseOfFitsWithoutThePoint) {
  const KernelFit fit = fit_with(2);
  const std::vector<KernelFeatures> at = line(6);
  const std::vector<double> values = {0.1, 0.3, -0.1, 0.05, 0.2, 0}, noise(6, 0.05);
  const Kriging all = krige(fit, at, values, noise);
  for (std::size_t out = 0; out < at.size(); ++out) {
    std::vector<KernelFeatures> rest = at;
    std::vector<double> others = values;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(out));
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(out));
    const Kriging without = krige(fit, rest, others, std::vector<double>(5, 0.05));
    EXPECT_NEAR(all.left_out[out], values[out] - foretold(fit, rest, without.weights, at[out]),
                1e-9);
  }
}

TEST(Kriging, ATrendIsFoundAndCarriedOn) {
  KernelFit fit = fit_with(0.5);
  fit.center[0] = 3.5;
  const std::vector<KernelFeatures> at = line(8);
  std::vector<double> values;
  for (const KernelFeatures& x : at) values.push_back(0.1 * (x[0] - 3.5));
  const Kriging found = krige(fit, at, values, std::vector<double>(8, 0.02), 0.3);
  EXPECT_NEAR(found.slopes[0], 0.1, 0.02);
  EXPECT_EQ(krige(fit, at, values, std::vector<double>(8, 0.02)).slopes[0], 0);
}

TEST(Kriging, APointThatAllOthersContradictPullsNoMore) {
  const KernelFit fit = fit_with(4);
  const std::vector<KernelFeatures> at = line(12);
  std::vector<double> values(12, 0.1);
  const std::vector<double> noise(12, 0.05);
  values[5] = std::log(10);
  const Kriging found = krige(fit, at, values, noise);
  EXPECT_TRUE(found.outlier[5]);
  EXPECT_EQ(std::count(found.outlier.begin(), found.outlier.end(), true), 1);
  EXPECT_NEAR(foretold(fit, at, found.weights, at[5]), 0.1, 0.05);
  EXPECT_NEAR(foretold(fit, at, found.weights, at[6]), 0.1, 0.05);
}

}  // namespace kriging_test
}  // namespace oracle
