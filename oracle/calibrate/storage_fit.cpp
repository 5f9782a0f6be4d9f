#include "oracle/calibrate/storage_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

/// Of the largest size's time what must come with its bytes, lest the rate be made of noise.
constexpr double kLeastGrown = 0.1;

using RateSamples = std::vector<const StorageSample*>;

double spread_of(const MeasuredTime& time) {
  const Seconds width = std::max(time.high - time.median, time.median - time.low);
  return width * kNormal90PerDeciles / time.median;
}

/// Seconds per byte between sizes that differ; 0 where larger is no slower.
double slope_of(const RateSamples& group) {
  std::vector<double> slopes;
  for (const StorageSample* a : group) {
    for (const StorageSample* b : group) {
      if (!(a->bytes < b->bytes)) continue;
      slopes.push_back((b->time.median - a->time.median).value / (b->bytes - a->bytes).value);
    }
  }
  return std::max(0.0, median(std::move(slopes)));
}

void fit_line(const RateSamples& group, StorageRate& rate) {
  const double slope = slope_of(group);
  std::vector<double> left;
  for (const StorageSample* sample : group) {
    left.push_back(sample->time.median.value - slope * sample->bytes.value);
  }
  const double latency = median(std::move(left));
  const StorageSample& largest = **std::max_element(
      group.begin(), group.end(), [](const auto* a, const auto* b) { return a->bytes < b->bytes; });
  const double grown = slope * largest.bytes.value / largest.time.median.value;
  if (grown >= kLeastGrown && latency >= 0) {
    rate.latency = Seconds{latency};
    rate.rate = Bandwidth{1 / slope};
    return;
  }
  rate.rate = largest.bytes / largest.time.median;
}

double uncertainty_of(const RateSamples& group, const StorageRate& rate) {
  std::vector<double> spreads, residuals;
  for (const StorageSample* sample : group) {
    spreads.push_back(spread_of(sample->time));
    residuals.push_back(std::abs(time_of(rate, sample->bytes) / sample->time.median - 1));
  }
  return std::max(median(std::move(spreads)), quantile(std::move(residuals), 0.9));
}

}  // namespace

std::vector<StorageRate> fit_storage(std::span<const StorageSample> samples) {
  std::map<std::tuple<StorageOperation, std::int64_t, bool>, RateSamples> groups;
  for (const StorageSample& sample : samples) {
    if (sample.bytes.value <= 0) continue;
    groups[{sample.operation, sample.workers, sample.cached}].push_back(&sample);
  }
  std::vector<StorageRate> rates;
  for (const auto& [key, group] : groups) {
    StorageRate& rate = rates.emplace_back();
    std::tie(rate.operation, rate.workers, rate.cached) = key;
    fit_line(group, rate);
    rate.uncertainty = uncertainty_of(group, rate);
    rate.samples = 0;
    rate.least = rate.most = group.front()->bytes;
    for (const StorageSample* sample : group) {
      rate.samples += sample->time.count;
      rate.least = std::min(rate.least, sample->bytes);
      rate.most = std::max(rate.most, sample->bytes);
    }
  }
  return rates;
}

}  // namespace oracle
