#pragma once
// How far is what was predicted from what was measured?
//
//   signed error = (predicted − measured) / measured
//
// Worked: 8 predicted, 10 measured → −20 %        tests/record/trace_comparison_test.cpp

#include <optional>

namespace oracle {

/// A figure on both sides; absent where a side has none.
struct Pair {
  std::optional<double> predicted, measured;

  /// Where both are there and something was measured.
  std::optional<double> signed_error() const {
    if (!predicted || !measured || *measured <= 0) return std::nullopt;
    return *predicted / *measured - 1;
  }
};

}  // namespace oracle
