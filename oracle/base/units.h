#pragma once
// Which dimension does a number have?
//
// Every time, size, rate and operation count of the engine is a `Quantity`, so that seconds cannot
// be added to bytes and a bandwidth comes only from dividing bytes by seconds. Values are doubles
// in SI base units (seconds, bytes, floating-point operations): integers up to 2^53 are exact,
// which covers 9 petabytes.
//
// Worked: Bytes{8e6} / Bandwidth{1e9} is Seconds{0.008}                tests/base/units_test.cpp

#include <compare>

namespace oracle {

/// A double with the dimension second^T · byte^D · operation^W.
template <int T, int D, int W>
struct Quantity {
  double value = 0;

  constexpr Quantity() = default;
  constexpr explicit Quantity(double v) : value(v) {}

  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value -= other.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity{a.value + b.value};
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity{a.value - b.value};
  }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity{a.value * k}; }
  friend constexpr Quantity operator*(double k, Quantity a) { return Quantity{a.value * k}; }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity{a.value / k}; }
};

/// Division subtracts dimensions; equal dimensions leave a plain number.
template <int T1, int D1, int W1, int T2, int D2, int W2>
constexpr auto operator/(Quantity<T1, D1, W1> a, Quantity<T2, D2, W2> b) {
  if constexpr (T1 == T2 && D1 == D2 && W1 == W2) {
    return a.value / b.value;
  } else {
    return Quantity<T1 - T2, D1 - D2, W1 - W2>{a.value / b.value};
  }
}

/// Multiplication adds dimensions.
template <int T1, int D1, int W1, int T2, int D2, int W2>
constexpr auto operator*(Quantity<T1, D1, W1> a, Quantity<T2, D2, W2> b) {
  if constexpr (T1 + T2 == 0 && D1 + D2 == 0 && W1 + W2 == 0) {
    return a.value * b.value;
  } else {
    return Quantity<T1 + T2, D1 + D2, W1 + W2>{a.value * b.value};
  }
}

using Seconds = Quantity<1, 0, 0>;
using Bytes = Quantity<0, 1, 0>;
using Flops = Quantity<0, 0, 1>;  ///< floating-point operations; a multiply-add is two
using Bandwidth = Quantity<-1, 1, 0>;
using FlopRate = Quantity<-1, 0, 1>;

}  // namespace oracle
