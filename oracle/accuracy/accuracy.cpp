#include "oracle/accuracy/accuracy.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "oracle/base/statistics.h"

namespace oracle {
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
  accuracy.median = median(sizes);
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
