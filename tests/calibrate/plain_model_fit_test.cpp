#include "oracle/calibrate/plain_model_fit.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace oracle {
namespace plain_model_fit_test {

struct Kernels {
  std::vector<KernelWork> work;
  std::vector<double> seconds;
};

/// Thirty kernels from a thousand to a billion operations.
Kernels kernels_of(const PlainModel& model) {
  Kernels kernels;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(3, 9);
  for (int i = 0; i < 30; ++i) {
    kernels.work.push_back({std::pow(10, exponent(random)), std::pow(10, exponent(random) - 2)});
    kernels.seconds.push_back(model.of(kernels.work.back()).value);
  }
  return kernels;
}

void expect_model(const PlainModel& found, const PlainModel& wanted, double tolerance) {
  EXPECT_NEAR(found.launch.value, wanted.launch.value, tolerance * wanted.launch.value);
  EXPECT_NEAR(found.per_operation, wanted.per_operation, tolerance * wanted.per_operation);
  EXPECT_NEAR(found.per_element, wanted.per_element, tolerance * wanted.per_element);
}

TEST(PlainModelFit, GivesBackWhatMadeTheTimes) {
  const PlainModel made{Seconds{2e-6}, 0.5e-9, 3e-9, {}};
  const Kernels kernels = kernels_of(made);
  expect_model(fit_plain_model(kernels.work, kernels.seconds), made, 1e-6);
}

TEST(PlainModelFit, AFewKernelsTenTimesAsSlowDoNotMoveIt) {
  const PlainModel made{Seconds{2e-6}, 0.5e-9, 3e-9, {}};
  Kernels kernels = kernels_of(made);
  for (const std::size_t slow : {3U, 17U, 25U}) kernels.seconds[slow] *= 10;
  expect_model(fit_plain_model(kernels.work, kernels.seconds), made, 0.03);
}

TEST(PlainModelFit, AFewKernelsTenTimesAsFastDoNotMoveIt) {
  const PlainModel made{Seconds{2e-6}, 0.5e-9, 3e-9, {}};
  Kernels kernels = kernels_of(made);
  for (const std::size_t fast : {3U, 17U, 25U}) kernels.seconds[fast] /= 10;
  expect_model(fit_plain_model(kernels.work, kernels.seconds), made, 0.03);
}

TEST(PlainModelFit, FindsWhereElementsTakeLonger) {
  const PlainModel made{Seconds{2e-6}, 0, 0.1e-9, {{0x1p18, 0.2e-9}, {0x1p21, 0.4e-9}}};
  Kernels kernels = kernels_of(made);
  const PlainModel found =
      fit_plain_model(kernels.work, kernels.seconds, full_caches_among(kernels.work));
  for (const double elements : {1e3, 1e5, 1e6, 6e6}) {
    const KernelWork work{0, elements};
    EXPECT_NEAR(found.of(work) / made.of(work), 1, 1e-6) << elements;
  }
}

TEST(PlainModelFit, FewKernelsBeyondACacheSayNothingOfIt) {
  std::vector<KernelWork> work;
  for (int i = 0; i < 10; ++i) work.push_back({0, i < 7 ? 1e4 + 1e3 * i : 1e6});
  EXPECT_TRUE(full_caches_among(work).empty());
  work.push_back({0, 1e6});
  EXPECT_EQ(full_caches_among(work), (std::vector<double>{0x1p15, 0x1p18}));
}

TEST(PlainModelFit, NothingIsNegative) {
  // Longer with fewer operations: the best that is possible has none that count.
  const std::vector<KernelWork> work = {{100, 10}, {200, 10}, {400, 10}};
  const std::vector<double> seconds = {4e-6, 3e-6, 2e-6};
  const PlainModel found = fit_plain_model(work, seconds);
  EXPECT_GE(found.launch.value, 0);
  EXPECT_EQ(found.per_operation, 0);
  EXPECT_GE(found.per_element, 0);
  EXPECT_NEAR(found.of(work[1]).value, 2.6e-6, 0.6e-6);
}

TEST(PlainModelFit, OneKernelIsMet) {
  const std::vector<KernelWork> work = {{1000, 10}};
  const std::vector<double> seconds = {5e-6};
  EXPECT_NEAR(fit_plain_model(work, seconds).of(work[0]).value, 5e-6, 1e-12);
}

}  // namespace plain_model_fit_test
}  // namespace oracle
