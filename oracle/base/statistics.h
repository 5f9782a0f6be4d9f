#pragma once
// What is the middle of some numbers, and how far do they spread?
//
// Worked: of 4 1 3 2 the median is 2.5 and the 0.9 quantile 3.7 tests/base/statistics_test.cpp

#include <span>
#include <vector>

#include "oracle/base/units.h"

namespace oracle {

/// Standard deviation of normal errors over their median absolute value: 1/Φ⁻¹(3/4).
inline constexpr double kDeviationPerMedian = 1.4826;
/// Half-width of a normal 90 % interval in standard deviations: Φ⁻¹(0.95).
inline constexpr double kNormal90 = 1.6449;
/// The same over half the distance from the 0.1 to the 0.9 quantile: Φ⁻¹(0.95)/Φ⁻¹(0.9).
inline constexpr double kNormal90PerDeciles = 1.6449 / 1.2816;

/// The value below which `share` (0 to 1) of the values lie, linear between neighbours (type 7 of
/// Hyndman & Fan, The American Statistician 50(4), 1996). 0 of none.
double quantile(std::vector<double> values, double share);

/// The 0.5 quantile. 0 of none.
double median(std::vector<double> values);
Seconds median_of(std::span<const Seconds> times);

}  // namespace oracle
