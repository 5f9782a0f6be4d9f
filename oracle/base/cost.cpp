#include "oracle/base/cost.h"

#include <cmath>

namespace oracle {

std::string_view name_of(Source source) {
  constexpr std::array<std::string_view, kSourceCount> kNames = {
      "measured", "fitted", "interpolated", "datasheet", "assumed"};
  return kNames[static_cast<std::size_t>(source)];
}

void CostSum::add(const CostSum& other) {
  for (std::size_t s = 0; s < time_.size(); ++s) time_[s] += other.time_[s];
  for (std::size_t o = 0; o < error_.size(); ++o) error_[o] += other.error_[o];
}

Cost CostSum::total() const {
  Cost sum{Seconds{}, Source::measured, 0};
  for (std::size_t s = 0; s < kSourceCount; ++s) {
    if (time_[s].value <= 0) continue;
    sum.time += time_[s];
    sum.source = static_cast<Source>(s);
  }
  double variance = 0;
  std::size_t origins = 0, last = 0;
  for (std::size_t o = 0; o < error_.size(); ++o) {
    if (error_[o].value <= 0) continue;
    variance += error_[o].value * error_[o].value;
    ++origins;
    last = o;
  }
  // What one fit says alone goes on erring with it.
  if (origins == 1 && last >= kSourceCount) {
    sum.fit = static_cast<std::uint8_t>(last - kSourceCount + 1);
  }
  if (sum.time.value > 0) sum.uncertainty = std::sqrt(variance) / sum.time.value;
  return sum;
}

}  // namespace oracle
