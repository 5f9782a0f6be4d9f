#include "oracle/budget/noise_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/statistics.h"

namespace oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of one step, or the mean of some.
struct Moments {
  double noise = 0, signal = 0;

  void add(const Moments& other, double sign) {
    noise += sign * other.noise;
    signal += sign * other.signal;
  }
};

/// 1/B_simple; where samples do not differ, infinite.
double inverse_scale(const Moments& moments) {
  return moments.noise > 0 ? moments.signal / moments.noise : kInfinity;
}

Moments moments_of(const NoiseStep& squares, const NoiseBatches& batches) {
  const double b = batches.small, large = batches.large;
  return {(squares.small - squares.large) / (1 / b - 1 / large),
          (large * squares.large - b * squares.small) / (large - b)};
}

/// A scale of the inverse of one; where that is not above zero, infinite.
double scale_of(double inverse) { return inverse > 0 ? 1 / inverse : kInfinity; }

/// Of the inverse scale: standard error by leaving out one stretch after the other.
double jackknifed_error(const std::vector<Moments>& stretches, const Moments& all) {
  std::vector<double> without;
  double mean = 0;
  for (const Moments& stretch : stretches) {
    Moments rest = all;
    rest.add(stretch, -1);
    without.push_back(inverse_scale(rest));
    mean += without.back() / static_cast<double>(stretches.size());
  }
  double sum = 0;
  for (const double inverse : without) sum += std::pow(inverse - mean, 2);
  const auto count = static_cast<double>(stretches.size());
  return std::sqrt(sum * (count - 1) / count);
}

}  // namespace

double NoiseScale::batch() const { return scale_of(inverse_scale({noise, signal})); }

NoiseScale noise_scale(std::span<const NoiseStep> steps, const NoiseBatches& batches) {
  ensure(!steps.empty(), "a noise scale of no steps");
  ensure(batches.large > batches.small, "a noise scale of two batches of which one is larger");
  std::vector<Moments> stretches(std::min(kNoiseStretches, steps.size()));
  Moments all;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const Moments moments = moments_of(steps[s], batches);
    stretches[s * stretches.size() / steps.size()].add(moments, 1);
    all.add(moments, 1);
  }
  const auto count = static_cast<double>(steps.size());
  NoiseScale scale{all.noise / count, all.signal / count, 0, kInfinity};
  if (stretches.size() < 2) return scale;
  const double error = kNormal90 * jackknifed_error(stretches, all);
  if (!std::isfinite(error)) return scale;
  scale.low = scale_of(inverse_scale(all) + error);
  scale.high = scale_of(inverse_scale(all) - error);
  return scale;
}

}  // namespace oracle
