#include "oracle/base/cost.h"

#include <cmath>

namespace oracle {

std::string_view name_of(Source source) {
  constexpr std::array<std::string_view, kSourceCount> kNames = {
      "measured", "fitted", "interpolated", "datasheet", "assumed"};
  return kNames[static_cast<std::size_t>(source)];
}

void CostSum::add(const CostSum& other) {
  for (std::size_t s = 0; s < kSourceCount; ++s) {
    time_[s] += other.time_[s];
    error_[s] += other.error_[s];
  }
}

Cost CostSum::total() const {
  Cost sum{Seconds{}, Source::measured, 0};
  double variance = 0;
  for (std::size_t s = 0; s < kSourceCount; ++s) {
    if (time_[s].value <= 0) continue;
    sum.time += time_[s];
    sum.source = static_cast<Source>(s);
    variance += error_[s].value * error_[s].value;
  }
  if (sum.time.value > 0) sum.uncertainty = std::sqrt(variance) / sum.time.value;
  return sum;
}

}  // namespace oracle
