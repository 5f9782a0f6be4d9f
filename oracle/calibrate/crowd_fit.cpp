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
/// Threads of one core at the worst.
constexpr double kMostSlowdown = 1;
/// In steps of 5 % first, and then, around the best of those, of 1 %.
constexpr int kCoarse = 5, kSteps = 100;

struct Point {
  double bytes = 0;
  double alone = 1, beside = 1;  ///< seconds
  double sharing = 1;
};

std::vector<Point> points_of(std::span<const CrowdedKernel> measured, std::int64_t ranks) {
  std::vector<Point> points;
  for (const CrowdedKernel& one : measured) {
    if (one.ranks != ranks) continue;
    points.push_back(
        {traffic_of(one.alone).value, one.alone.time.median.value, one.beside.value, one.sharing});
  }
  return points;
}

double shared(const Point& point, double own) { return std::max(0.0, point.bytes - own); }

double fitted(const Contention& contention, const Point& point) {
  const double slower = point.alone * (1 + contention.slowdown);
  const double most = static_cast<double>(contention.ranks) * point.alone - slower;
  const double waiting = contention.slope * shared(point, contention.own.value);
  return slower + point.sharing * std::clamp(waiting, 0.0, std::max(0.0, most));
}

/// log(measured / fitted)
double error_of(const Contention& contention, const Point& point) {
  return std::log(point.beside / fitted(contention, point));
}

double sum_of_errors(const Contention& contention, std::span<const Point> points) {
  double sum = 0;
  for (const Point& point : points) sum += std::abs(error_of(contention, point));
  return sum;
}

double median_error(const Contention& contention, std::span<const Point> points) {
  std::vector<double> errors;
  for (const Point& point : points) errors.push_back(std::abs(error_of(contention, point)));
  return median(std::move(errors));
}

/// The best with such an `own` and slowdown, if it is better than `best`.
void try_slopes(const Contention& with, std::span<const Point> points, Contention& best,
                double& least) {
  const auto try_one = [&](double slope) {
    Contention tried = with;
    tried.slope = slope;
    const double sum = sum_of_errors(tried, points);
    if (sum >= least) return;
    least = sum;
    best = tried;
  };
  try_one(0);
  for (const Point& through : points) {
    const double longer = through.beside - through.alone * (1 + with.slowdown);
    const double moved = through.sharing * shared(through, with.own.value);
    if (moved > 0 && longer > 0) try_one(longer / moved);
  }
}

/// The best with slowdowns from one step to another, each so many further, if it is better than
/// `best`.
void try_slowdowns(int from, int to, int further, std::span<const Point> points, Contention& best,
                   double& least) {
  Contention with = best;
  for (double own = 0; own <= kMostOwn; own = own > 0 ? 2 * own : kLeastOwn) {
    with.own = Bytes{own};
    for (int step = std::max(from, 0); step <= std::min(to, kSteps); step += further) {
      with.slowdown = kMostSlowdown * step / kSteps;
      try_slopes(with, points, best, least);
    }
  }
}

/// Points in a row on one side of the middle.
double spells_of(std::span<const Point> points) {
  double spells = 1;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if ((points[i].sharing > 0.5) != (points[i - 1].sharing > 0.5)) ++spells;
  }
  return spells;
}

/// In the mean.
double mean_sharing(std::span<const Point> points, Placement placement) {
  double mean = 0;
  for (const Point& point : points) mean += point.sharing / static_cast<double>(points.size());
  if (placement == Placement::stays) return mean;
  const double spells = spells_of(points);
  return (spells * mean + 1) / (spells + 2);
}

}  // namespace

Contention fit_contention(std::span<const CrowdedKernel> measured, Placement placement) {
  Contention best;
  for (const CrowdedKernel& one : measured) best.ranks = std::max(best.ranks, one.ranks);
  const std::vector<Point> points = points_of(measured, best.ranks);
  if (points.empty()) return best;
  double least = std::numeric_limits<double>::infinity();
  try_slowdowns(0, kSteps, kCoarse, points, best, least);
  const auto found = static_cast<int>(std::lround(best.slowdown / kMostSlowdown * kSteps));
  try_slowdowns(found - kCoarse + 1, found + kCoarse - 1, 1, points, best, least);
  best.sharing = mean_sharing(points, placement);
  best.residual = median_error(best, points);
  return best;
}

}  // namespace oracle
