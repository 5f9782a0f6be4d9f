#include "microbench/timing/series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

/// A median of so many is no better for more of them, however short each was: a view of a tensor
/// takes a tenth of a microsecond, and 10 ms of that are 100,000 calls.
constexpr std::size_t kEnough = 1000;
/// Of the median: what takes longer was disturbed.
constexpr double kDisturbed = 1.5;

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

double Series::sum() const { return std::accumulate(values_.begin(), values_.end(), 0.0); }

double Series::quantile(double part) const { return oracle::quantile(values_, part); }

double Series::mean() const {
  const double most = kDisturbed * median();
  double total = 0;
  std::size_t typical = 0;
  for (const double value : values_) {
    if (value > most) continue;
    total += value;
    ++typical;
  }
  return typical == 0 ? 0 : total / static_cast<double>(typical);
}

double Series::error() const {
  if (values_.size() < 3) return std::numeric_limits<double>::infinity();
  const std::vector<double> order = sorted(values_);
  const auto n = static_cast<double>(order.size());
  // Order statistics count from 1.
  const double half = kNormal90 * std::sqrt(n) / 2;
  const auto low = static_cast<std::size_t>(std::max(1.0, std::ceil(n / 2 - half)));
  const auto high = static_cast<std::size_t>(std::min(n, std::ceil(n / 2 + half)));
  const double middle = median();
  if (middle <= 0) return std::numeric_limits<double>::infinity();
  return std::max(order[high - 1] - middle, middle - order[low - 1]) / middle;
}

void Series::add(const Series& other) {
  values_.insert(values_.end(), other.values_.begin(), other.values_.end());
  speeds_.insert(speeds_.end(), other.speeds_.begin(), other.speeds_.end());
}

Series Series::at_speed(double speed) const {
  Series scaled;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    scaled.add(values_[i] * speeds_[i] / speed, speed);
  }
  return scaled;
}

bool Series::precise(const StopRule& rule) const {
  const bool long_enough = sum() >= rule.least_seconds || values_.size() >= kEnough;
  return values_.size() >= rule.least && long_enough && error() <= rule.error;
}

bool Series::done(const StopRule& rule) const { return done(rule, sum()); }

bool Series::done(const StopRule& rule, double elapsed) const {
  return precise(rule) || (values_.size() >= 3 && elapsed >= rule.most_seconds) ||
         values_.size() >= 2 * kEnough;
}

}  // namespace oracle
