#include "oracle/base/statistics.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace oracle {

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

Seconds median_of(std::span<const Seconds> times) {
  std::vector<double> values;
  for (const Seconds time : times) values.push_back(time.value);
  return Seconds{median(std::move(values))};
}

}  // namespace oracle
