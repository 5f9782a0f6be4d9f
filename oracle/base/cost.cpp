#include "oracle/base/cost.h"

#include <cmath>

namespace oracle {
namespace {

/// ρ
constexpr double kTogether = 0.2;

}  // namespace

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
  for (std::size_t f = 0; f < kFitNumbers; ++f) {
    fits_[f].together += other.fits_[f].together;
    fits_[f].squares += other.fits_[f].squares;
  }
}

Cost CostSum::total() const {
  Cost sum{Seconds{}, Source::measured, 0};
  double variance = 0;
  std::size_t origins = 0;
  for (std::size_t s = 0; s < kSourceCount; ++s) {
    if (error_[s].value > 0) ++origins;
    variance += error_[s].value * error_[s].value;
    if (time_[s].value <= 0) continue;
    sum.time += time_[s];
    sum.source = static_cast<Source>(s);
  }
  for (std::size_t f = 0; f < kFitNumbers; ++f) {
    const double together = fits_[f].together.value;
    if (together <= 0) continue;
    ++origins;
    sum.fit = static_cast<std::uint8_t>(f + 1);
    variance += kTogether * together * together + (1 - kTogether) * fits_[f].squares;
  }
  // What one fit says alone goes on erring with it.
  if (origins > 1) sum.fit = 0;
  if (sum.time.value > 0) sum.uncertainty = std::sqrt(variance) / sum.time.value;
  return sum;
}

}  // namespace oracle
