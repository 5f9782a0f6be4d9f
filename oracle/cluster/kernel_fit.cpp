#include "oracle/cluster/kernel_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace oracle {
namespace {

/// How much less is known outside of the shapes measured.
constexpr double kOutsideFactor = 2;
/// No interval is wider: a factor of four.
constexpr double kMostUncertainty = 3;
/// No kernel is further from the plain model, in the logarithm.
constexpr double kFurthest = 20;
constexpr Seconds kShortest{1e-12};

/// The features moved to between the least and the most of the points.
KernelFeatures clamped(const KernelFit& fit, KernelFeatures at) {
  for (std::size_t d = 0; d < at.size(); ++d) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const KernelPoint& point : fit.points) {
      least = std::min(least, point.at[d]);
      most = std::max(most, point.at[d]);
    }
    at[d] = std::max(least, std::min(most, at[d]));
  }
  return at;
}

double trend(const KernelFit& fit, const KernelFeatures& at) {
  if (fit.points.empty()) return fit.mean;
  const KernelFeatures edge = clamped(fit, at);
  double sum = fit.mean;
  for (std::size_t d = 0; d < at.size(); ++d) sum += fit.slopes[d] * (edge[d] - fit.center[d]);
  return sum;
}

}  // namespace

bool inside(const KernelFit& fit, const KernelFeatures& at) {
  return !fit.points.empty() && clamped(fit, at) == at;
}

double covariance(const KernelFit& fit, const KernelFeatures& a, const KernelFeatures& b) {
  double squared = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const double step = (a[d] - b[d]) / fit.lengths[d];
    squared += step * step;
  }
  const double r = std::sqrt(3 * squared);
  return (1 + r) * std::exp(-r);
}

Cost price_of(const KernelFit& fit, const KernelKey& key) {
  const KernelFeatures at = features_of(key);
  double off = trend(fit, at), nearest = 0;
  for (const KernelPoint& point : fit.points) {
    const double alike = covariance(fit, at, point.at);
    off += point.weight * alike;
    nearest = std::max(nearest, alike);
  }
  const double variance =
      fit.deviation * fit.deviation * (1 - nearest * nearest) + fit.noise * fit.noise;
  const double beside = std::exp(std::clamp(off, -kFurthest, kFurthest));
  Cost cost{std::max(fit.plain.of(work_of(key)) * beside, kShortest), Source::interpolated,
            std::expm1(fit.spread * std::sqrt(variance))};
  if (!inside(fit, at)) {
    cost.source = Source::assumed;
    cost.uncertainty *= kOutsideFactor;
  }
  cost.uncertainty = std::min(cost.uncertainty, kMostUncertainty);
  return cost;
}

}  // namespace oracle
