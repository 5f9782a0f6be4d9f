#pragma once
// Which values are written as whole numbers?
//
// Worked: 1e15 is, 1e16 is not (a double skips whole numbers past 2^53) and 0.5 is not
//                                                        tests/report/format_whole_test.cpp

#include <cmath>

namespace oracle::report {

/// Whole, and exact in a double.
inline bool is_whole(double value) {
  return value == std::floor(value) && std::abs(value) <= 9007199254740992.0;
}

}  // namespace oracle::report
