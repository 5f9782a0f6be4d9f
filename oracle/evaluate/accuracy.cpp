#include "oracle/evaluate/accuracy.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace oracle {
namespace {

/// The smallest value that at least `share` of the sorted values do not exceed.
double quantile(const std::vector<double>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return sorted[index];
}

}  // namespace

double Comparison::signed_error() const { return predicted.time / measured - 1; }

bool Comparison::inside_interval() const {
  const Seconds half_width = predicted.time * predicted.uncertainty;
  return measured >= predicted.time - half_width && measured <= predicted.time + half_width;
}

Accuracy judge(std::span<const Comparison> comparisons) {
  Accuracy accuracy;
  accuracy.count = comparisons.size();
  if (comparisons.empty()) return accuracy;
  std::vector<double> sizes;
  double inside = 0;
  for (const Comparison& comparison : comparisons) {
    const double error = comparison.signed_error();
    sizes.push_back(std::abs(error));
    if (std::abs(error) > std::abs(accuracy.worst)) accuracy.worst = error;
    accuracy.bias += error / static_cast<double>(comparisons.size());
    inside += comparison.inside_interval() ? 1 : 0;
  }
  std::sort(sizes.begin(), sizes.end());
  accuracy.median = quantile(sizes, 0.5);
  accuracy.p90 = quantile(sizes, 0.9);
  accuracy.coverage = inside / static_cast<double>(comparisons.size());
  return accuracy;
}

}  // namespace oracle
