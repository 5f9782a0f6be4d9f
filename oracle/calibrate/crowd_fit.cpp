#include "oracle/calibrate/crowd_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "oracle/base/statistics.h"
#include "oracle/calibrate/kernel_table.h"

namespace oracle {
namespace {

/// What a core's own caches may hold.
constexpr double kLeastOwn = 65536, kMostOwn = 67108864;

struct Point {
  double bytes = 0;
  double alone = 1, beside = 1;  ///< seconds
};

std::vector<Point> points_of(std::span<const CrowdedKernel> measured, std::int64_t ranks) {
  std::vector<Point> points;
  for (const CrowdedKernel& one : measured) {
    if (one.ranks != ranks) continue;
    points.push_back({traffic_of(one.alone).value, one.alone.time.median.value, one.beside.value});
  }
  return points;
}

double shared(const Point& point, double own) { return std::max(0.0, point.bytes - own); }

double fitted(const Contention& contention, const Point& point) {
  const double waiting = contention.slope * shared(point, contention.own.value);
  return std::min(static_cast<double>(contention.ranks) * point.alone, point.alone + waiting);
}

std::vector<double> errors_of(const Contention& contention, std::span<const Point> points) {
  std::vector<double> errors;
  for (const Point& point : points) {
    errors.push_back(std::abs(std::log(fitted(contention, point) / point.beside)));
  }
  return errors;
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

}  // namespace

Contention fit_contention(std::span<const CrowdedKernel> measured) {
  Contention best;
  for (const CrowdedKernel& one : measured) best.ranks = std::max(best.ranks, one.ranks);
  const std::vector<Point> points = points_of(measured, best.ranks);
  if (points.empty()) return best;
  double least = sum_of(errors_of(best, points));
  const auto try_all = [&](double own) {
    for (const Point& through : points) {
      if (shared(through, own) <= 0 || through.beside <= through.alone) continue;
      Contention tried = best;
      tried.own = Bytes{own};
      tried.slope = (through.beside - through.alone) / shared(through, own);
      const double sum = sum_of(errors_of(tried, points));
      if (sum >= least) continue;
      least = sum;
      best = tried;
    }
  };
  try_all(0);
  for (double own = kLeastOwn; own <= kMostOwn; own *= 2) try_all(own);
  best.residual = median(errors_of(best, points));
  return best;
}

}  // namespace oracle
