#pragma once
// Functions of one value, made of the logistic one, in double.

#include <cmath>

namespace oracle {

/// A function at x and its derivative there.
struct ValueAndSlope {
  double value, slope;
};

inline double logistic(double x) { return 1 / (1 + std::exp(-x)); }

inline ValueAndSlope silu(double x) {
  const double share = logistic(x);
  return {x * share, share * (1 + x * (1 - share))};
}

}  // namespace oracle
