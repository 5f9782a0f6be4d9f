#include "oracle/cost/arrival_skew.h"

#include <algorithm>
#include <cmath>

namespace oracle {
namespace {

double normal_below(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

/// By halving: 60 times leave no bit of what matters.
double normal_quantile(double p) {
  double low = -10, high = 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (normal_below(middle) < p ? low : high) = middle;
  }
  return low;
}

}  // namespace

double order_statistic(std::int64_t k, std::int64_t n) {
  return normal_quantile((static_cast<double>(k) - 0.375) / (static_cast<double>(n) + 0.25));
}

Seconds arrival_skew(Seconds computing, std::int64_t ranks, double spread, std::int64_t backup) {
  if (ranks < 2) return {};
  const Seconds last = computing * (spread * std::sqrt(2 * std::log(static_cast<double>(ranks))));
  if (backup == 0) return last;
  return last *
         std::max(0.0, order_statistic(ranks - backup, ranks) / order_statistic(ranks, ranks));
}

}  // namespace oracle
