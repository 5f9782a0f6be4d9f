#include "oracle/budget/noise_scale.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "oracle/base/error.h"

namespace oracle {
namespace noise_scale_test {

TEST(NoiseScale, WorkedNumber) {
  const std::vector<NoiseStep> one = {{14, 6.5}};
  const NoiseScale scale = noise_scale(one, {1, 4});
  EXPECT_NEAR(scale.signal, 4, 1e-12);
  EXPECT_NEAR(scale.noise, 10, 1e-12);
  EXPECT_NEAR(scale.batch(), 2.5, 1e-12);
  EXPECT_EQ(scale.low, 0);
  EXPECT_TRUE(std::isinf(scale.high)) << "one step has no spread";
}

/// The mean of ratios would be another.
TEST(NoiseScale, NoiseAndSignalAreAveragedBeforeTheyAreDivided) {
  // |G|² 4 and 2, tr(Σ) 10 and 20.
  const std::vector<NoiseStep> two = {{14, 6.5}, {22, 7}};
  EXPECT_NEAR(noise_scale(two, {1, 4}).batch(), 30.0 / 6, 1e-12);
}

TEST(NoiseScale, StepsThatAgreeLeaveNoSpread) {
  const std::vector<NoiseStep> steps(50, {14, 6.5});
  const NoiseScale scale = noise_scale(steps, {1, 4});
  EXPECT_NEAR(scale.low, 2.5, 1e-9);
  EXPECT_NEAR(scale.high, 2.5, 1e-9);
}

TEST(NoiseScale, NothingButNoiseHasNoScale) {
  const std::vector<NoiseStep> steps = {{8, 1}, {8, 1.5}, {8, 2}};
  const NoiseScale scale = noise_scale(steps, {1, 8});
  EXPECT_LE(scale.signal, 0.6);
  EXPECT_TRUE(std::isinf(scale.high));
  const std::vector<NoiseStep> lost = {{8, 0.5}};
  EXPECT_TRUE(std::isinf(noise_scale(lost, {1, 8}).batch()));
}

TEST(NoiseScale, SamplesThatDoNotDifferHaveNone) {
  const std::vector<NoiseStep> steps = {{5, 5}, {4, 4}, {3, 3}};
  const NoiseScale scale = noise_scale(steps, {1, 4});
  EXPECT_EQ(scale.batch(), 0);
  EXPECT_EQ(scale.low, 0);
  EXPECT_TRUE(std::isinf(scale.high));
}

TEST(NoiseScale, NeedsTwoBatches) {
  const std::vector<NoiseStep> steps = {{1, 1}};
  EXPECT_THROW(noise_scale(steps, {4, 4}), Defect);
  EXPECT_THROW(noise_scale({}, {1, 4}), Defect);
}

/// Squares of the means of n samples that are drawn around a gradient, by coordinate.
class Drawn {
 public:
  Drawn(double along, double deviation, std::size_t size)
      : along_(along), deviation_(deviation), size_(size) {}

  double noise() const { return deviation_ * deviation_ * static_cast<double>(size_); }
  double signal() const { return along_ * along_ * static_cast<double>(size_); }

  std::vector<NoiseStep> steps(std::size_t count, int small, int parts) {
    std::vector<NoiseStep> made;
    for (std::size_t s = 0; s < count; ++s) {
      NoiseStep squares;
      for (std::size_t i = 0; i < size_; ++i) {
        double sum = 0;
        for (int p = 0; p < parts; ++p) {
          double mean = 0;
          for (int n = 0; n < small; ++n) mean += (along_ + deviation_ * normal_(engine_)) / small;
          squares.small += mean * mean / parts;
          sum += mean;
        }
        squares.large += std::pow(sum / parts, 2);
      }
      made.push_back(squares);
    }
    return made;
  }

 private:
  double along_, deviation_;
  std::size_t size_;
  std::mt19937 engine_{11};
  std::normal_distribution<double> normal_;
};

/// Nine in ten intervals hold the scale that the samples are drawn with.
TEST(NoiseScale, IntervalsHoldTheScaleThatSamplesAreDrawnWith) {
  Drawn drawn(0.1, 1, 10);
  const double truth = drawn.noise() / drawn.signal();
  int held = 0;
  double noise = 0, signal = 0;
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    const NoiseScale scale = noise_scale(drawn.steps(100, 4, 4), {4, 16});
    held += scale.low <= truth && truth <= scale.high ? 1 : 0;
    noise += scale.noise / kTrials;
    signal += scale.signal / kTrials;
  }
  EXPECT_NEAR(noise, drawn.noise(), 0.02 * drawn.noise());
  EXPECT_NEAR(signal, drawn.signal(), 0.1 * drawn.signal());
  EXPECT_GE(held, 168) << "of 200: 180 expected, and less than 168 once in a hundred";
  EXPECT_LE(held, 192);
}

}  // namespace noise_scale_test
}  // namespace oracle
