#include "oracle/calibrate/piecewise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracle/base/error.h"
#include "oracle/base/statistics.h"

namespace oracle {
namespace {

constexpr double kTukey = 4.685;
constexpr double kLeastScale = 0.01;
/// Two neighbours off to the same side are rather a law than chance: such a pair costs as much as
/// so many outliers more, which is more than another piece.
constexpr double kNeighbours = 3;
/// Two lines through fewer points than that say nothing about a break.
constexpr std::size_t kLeastPoints = 4;
constexpr std::size_t kMostPieces = 8;
constexpr int kAbsoluteRounds = 12;
constexpr int kTukeyRounds = 8;

double residual(const FitLine& line, const FitPoint& point) {
  return (line.at(point.x) - point.y) / point.y;
}

/// Least squares of relative residuals with these weights, coefficients at least zero: the normal
/// equations of rows (1/y, x/y) and right sides 1, x in units of the largest.
FitLine weighted_line(std::span<const FitPoint> points, std::span<const double> weights) {
  const double unit = std::max(points.back().x, 1.0);
  double aa = 0, ab = 0, bb = 0, a = 0, b = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double constant = 1 / points[i].y;
    const double linear = points[i].x / unit / points[i].y;
    aa += weights[i] * constant * constant;
    ab += weights[i] * constant * linear;
    bb += weights[i] * linear * linear;
    a += weights[i] * constant;
    b += weights[i] * linear;
  }
  const double determinant = aa * bb - ab * ab;
  if (determinant > 1e-12 * aa * bb) {
    const double intercept = (a * bb - b * ab) / determinant;
    const double slope = (b * aa - a * ab) / determinant;
    if (intercept >= 0 && slope >= 0) return {intercept, slope / unit};
    if (intercept < 0) return {0, b / bb / unit};
  }
  return {a / aa, 0};
}

double tukey_weight(double u) {
  if (std::abs(u) >= kTukey) return 0;
  const double rest = 1 - u * u / (kTukey * kTukey);
  return rest * rest;
}

constexpr double kMost = kTukey * kTukey / 6;

double tukey_loss(double u) {
  if (std::abs(u) >= kTukey) return kMost;
  const double rest = 1 - u * u / (kTukey * kTukey);
  return kMost * (1 - rest * rest * rest);
}

double loss(std::span<const FitPoint> points, const FitLine& line, double scale) {
  double sum = 0;
  double before = 0;
  for (const FitPoint& point : points) {
    const double u = residual(line, point) / scale;
    sum += tukey_loss(u);
    if (std::abs(u) >= kTukey && std::abs(before) >= kTukey && u * before > 0) {
      sum += kNeighbours * kMost;
    }
    before = u;
  }
  return sum;
}

FitLine reweighted(std::span<const FitPoint> points, FitLine line, int rounds,
                   double (*weight)(double), double scale) {
  std::vector<double> weights(points.size());
  for (int round = 0; round < rounds; ++round) {
    double sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      weights[i] = weight(residual(line, points[i]) / scale);
      sum += weights[i];
    }
    // Every point an outlier: the line stays where least absolute residuals put it.
    if (sum < 1) break;
    line = weighted_line(points, weights);
  }
  return line;
}

double absolute_weight(double u) { return 1 / std::max(std::abs(u), 0.1); }

/// The best way to cover the first n points, for every n.
struct Cover {
  double loss = std::numeric_limits<double>::infinity();
  std::size_t begin = 0;  ///< of its last piece
  std::size_t pieces = 0;
  FitLine line;
};

std::vector<FitPiece> pieces_of(const std::vector<Cover>& best) {
  std::vector<FitPiece> pieces;
  for (std::size_t end = best.size() - 1; end > 0; end = best[end].begin) {
    pieces.push_back({best[end].begin, end, best[end].line});
  }
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

}  // namespace

FitLine fit_line(std::span<const FitPoint> points, double scale) {
  ensure(!points.empty(), "a line through no point");
  const std::vector<double> even(points.size(), 1.0);
  const FitLine start = weighted_line(points, even);
  const FitLine absolute = reweighted(points, start, kAbsoluteRounds, absolute_weight, scale);
  // A relative residual is at most 1 below a point and has no bound above: absolute ones alone
  // would pass by a majority far above the rest. So the longest half is a start as well.
  const auto longest = points.last((points.size() + 1) / 2);
  const FitLine late = weighted_line(longest, std::vector<double>(longest.size(), 1.0));
  FitLine best = absolute;
  for (const FitLine& from : {absolute, late}) {
    const FitLine robust = reweighted(points, from, kTukeyRounds, tukey_weight, scale);
    if (loss(points, robust, scale) < loss(points, best, scale)) best = robust;
  }
  return best;
}

double residual_scale(std::span<const FitPoint> points) {
  if (points.size() < kLeastPoints) return kLeastScale;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<FitPoint> around;
    const std::size_t first = std::min(i < 2 ? 0 : i - 2, points.size() - kLeastPoints);
    const std::size_t end = std::min(points.size(), std::max(i + 3, kLeastPoints));
    for (std::size_t k = first; k < end; ++k) {
      if (k != i) around.push_back(points[k]);
    }
    const std::vector<double> even(around.size(), 1.0);
    const FitLine line =
        reweighted(around, weighted_line(around, even), kAbsoluteRounds, absolute_weight, 0.01);
    sizes.push_back(std::abs(residual(line, points[i])));
  }
  return std::max(kLeastScale, kDeviationPerMedian * median(std::move(sizes)));
}

std::vector<FitPiece> fit_pieces(std::span<const FitPoint> points) {
  if (points.empty()) return {};
  const std::size_t count = points.size();
  const double scale = residual_scale(points);
  const double penalty = 3 * std::log(static_cast<double>(count));
  std::vector<Cover> best(count + 1);
  best[0].loss = 0;
  for (std::size_t end = 1; end <= count; ++end) {
    for (std::size_t begin = 0; begin < end; ++begin) {
      if (end - begin < kLeastPoints && !(begin == 0 && end == count)) continue;
      if (best[begin].pieces >= kMostPieces || std::isinf(best[begin].loss)) continue;
      const auto run = points.subspan(begin, end - begin);
      const FitLine line = fit_line(run, scale);
      const double total = best[begin].loss + loss(run, line, scale) + penalty;
      if (total < best[end].loss) best[end] = {total, begin, best[begin].pieces + 1, line};
    }
  }
  return pieces_of(best);
}

FitLine line_at(std::span<const FitPiece> pieces, std::span<const FitPoint> points, double x) {
  ensure(!pieces.empty(), "a fit without pieces");
  std::size_t found = 0;
  while (found + 1 < pieces.size() && points[pieces[found + 1].first].x <= x) ++found;
  return pieces[found].line;
}

}  // namespace oracle
