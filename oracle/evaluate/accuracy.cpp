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

Accuracy judge_errors(std::span<const double> signed_errors) {
  Accuracy accuracy;
  accuracy.count = signed_errors.size();
  if (signed_errors.empty()) return accuracy;
  std::vector<double> sizes;
  for (const double error : signed_errors) {
    sizes.push_back(std::abs(error));
    if (std::abs(error) > std::abs(accuracy.worst)) accuracy.worst = error;
    accuracy.bias += error / static_cast<double>(signed_errors.size());
  }
  std::sort(sizes.begin(), sizes.end());
  accuracy.median = quantile(sizes, 0.5);
  accuracy.p90 = quantile(sizes, 0.9);
  return accuracy;
}

Accuracy judge(std::span<const Comparison> comparisons) {
  std::vector<double> errors;
  double inside = 0;
  for (const Comparison& comparison : comparisons) {
    errors.push_back(comparison.signed_error());
    inside += comparison.inside_interval() ? 1 : 0;
  }
  Accuracy accuracy = judge_errors(errors);
  if (!errors.empty()) accuracy.coverage = inside / static_cast<double>(errors.size());
  return accuracy;
}

}  // namespace oracle
