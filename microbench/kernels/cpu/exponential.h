#pragma once
// e^x in single precision, as arithmetic alone, so that a loop over it becomes vector code.
//
//   e^x = 2^n · e^r,  n = x/ln 2 rounded,  r = x − n·ln 2 in two parts (Cody & Waite, 1980),
//   e^r by its Taylor polynomial of degree 7: |r| ≤ 0.35, the rest is below 6e-9
//
// Below −87 it is what it is there, 1.6e-38; x is at most 88.
// Worked: e^1 is 2.7182818 to 2e-7 of it tests/microbench/kernels/cpu/shares_test.cpp

#include <bit>
#include <cstdint>

namespace oracle {

inline float exponential(float x) {
  constexpr float kLeast = -87.0F;
  constexpr float kPerLog2 = 1.44269504F;
  constexpr float kHigh = 0.693359375F, kLow = -2.12194440e-4F;
  /// Adding it rounds to a whole number, which the lowest bits then are.
  constexpr float kRounding = 12582912.0F;
  const float bounded = x < kLeast ? kLeast : x;
  const float shifted = bounded * kPerLog2 + kRounding;
  const float n = shifted - kRounding;
  const float r = (bounded - n * kHigh) - n * kLow;
  float power = 1.0F / 5040;
  power = power * r + 1.0F / 720;
  power = power * r + 1.0F / 120;
  power = power * r + 1.0F / 24;
  power = power * r + 1.0F / 6;
  power = power * r + 0.5F;
  power = power * r + 1.0F;
  power = power * r + 1.0F;
  const auto exponent =
      std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRounding);
  return power * std::bit_cast<float>((exponent + 127) * (1 << 23));
}

}  // namespace oracle
