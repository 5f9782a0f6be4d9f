#include "oracle/budget/convergence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "oracle/base/error.h"
#include "oracle/base/statistics.h"

namespace oracle {
namespace {

/// Relative errors weigh a point by 1/E².
double weight_of(const ConvergencePoint& point) { return 1 / (point.data * point.data); }

/// The sum over points of their weight times `value`.
template <typename Value>
double weighted(const std::vector<ConvergencePoint>& points, const Value& value) {
  double sum = 0;
  for (const ConvergencePoint& point : points) sum += weight_of(point) * value(point);
  return sum;
}

double batch_of(const ConvergencePoint& point) { return static_cast<double>(point.batch); }

/// Of the residuals, with the two parameters of the law taken off their number, and of the runs.
double uncertainty_of(const ConvergenceLaw& law, const std::vector<ConvergencePoint>& points) {
  double residuals = 0, runs = 0;
  for (const ConvergencePoint& point : points) {
    residuals += std::pow(signed_error(law, point), 2);
    runs += std::pow(point.deviation / point.data, 2);
  }
  const auto count = static_cast<double>(points.size());
  return kNormal90 * std::sqrt(residuals / (count - 2) + runs / count);
}

}  // namespace

std::string_view name_of(DataUnit unit) {
  constexpr std::array<std::string_view, kDataUnitCount> kNames = {"epochs", "samples", "tokens"};
  return kNames[static_cast<std::size_t>(unit)];
}

Convergence in_samples(Convergence convergence, std::int64_t sequence) {
  if (convergence.unit != DataUnit::tokens) return convergence;
  const auto length = static_cast<double>(sequence);
  convergence.unit = DataUnit::samples;
  for (ConvergencePoint& point : convergence.points) {
    point.data /= length;
    point.deviation /= length;
    point.warm_up /= length;
  }
  return convergence;
}

double ConvergenceLaw::critical_batch() const {
  return slope > 0 ? least / slope : std::numeric_limits<double>::infinity();
}

ConvergenceLaw fit_law(const std::vector<ConvergencePoint>& points) {
  std::vector<ConvergencePoint> fitted;
  std::copy_if(points.begin(), points.end(), std::back_inserter(fitted),
               [](const ConvergencePoint& point) { return !point.held_out; });
  ensure(fitted.size() >= kLeastPoints, "a law of too few points");
  const double all = weighted(fitted, [](const auto&) { return 1; });
  const double batch = weighted(fitted, batch_of) / all;
  const double data = weighted(fitted, [](const auto& point) { return point.data; }) / all;
  const double spread =
      weighted(fitted, [&](const auto& point) { return std::pow(batch_of(point) - batch, 2); });
  ensure(spread > 0, "a law of one batch");
  ConvergenceLaw law;
  law.slope =
      weighted(fitted,
               [&](const auto& point) { return (batch_of(point) - batch) * (point.data - data); }) /
      spread;
  law.least = data - law.slope * batch;
  // Where larger batches need no more data, or ever so much more, one of the two terms is left.
  if (law.slope <= 0) {
    law.slope = 0;
    law.least = data;
  } else if (law.least <= 0) {
    law.least = 0;
    law.slope = weighted(fitted, [](const auto& p) { return batch_of(p) * p.data; }) /
                weighted(fitted, [](const auto& p) { return batch_of(p) * batch_of(p); });
  }
  const auto [first, last] = std::minmax_element(
      fitted.begin(), fitted.end(), [](const auto& a, const auto& b) { return a.batch < b.batch; });
  law.first = first->batch;
  law.last = last->batch;
  law.uncertainty = uncertainty_of(law, fitted);
  return law;
}

ConvergenceLaw law_of(double least, double critical_batch) {
  return {least, least / critical_batch, 0, 1, 1};
}

DataToTarget data_to_target(const ConvergenceLaw& law, std::int64_t batch) {
  DataToTarget data{law.data_at(static_cast<double>(batch)), law.uncertainty, false};
  const std::int64_t published = std::clamp(batch, law.first, law.last);
  data.extrapolated = published != batch;
  const double added = data.amount - law.data_at(static_cast<double>(published));
  data.uncertainty += std::abs(added) / data.amount;
  return data;
}

double signed_error(const ConvergenceLaw& law, const ConvergencePoint& point) {
  return law.data_at(static_cast<double>(point.batch)) / point.data - 1;
}

const ConvergencePoint& nearest_point(const std::vector<ConvergencePoint>& points,
                                      std::int64_t batch) {
  ensure(!points.empty(), "the nearest of no points");
  const auto distance = [&](const ConvergencePoint& point) {
    return std::abs(std::log(static_cast<double>(point.batch) / static_cast<double>(batch)));
  };
  return *std::min_element(points.begin(), points.end(),
                           [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
}

}  // namespace oracle
