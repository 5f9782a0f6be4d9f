#pragma once
// Which random number belongs to a place?
//
// A counter-based generator: the number follows from seed, stream and index alone, so however a
// network, a batch or a mask is cut, every rank draws the same numbers for the same places. Mixing
// is SplitMix64's (Steele, Lea & Flood, OOPSLA 2014), once for each word of the key.
//                                                             tests/validate/data/random_test.cpp

#include <cmath>
#include <cstdint>
#include <numbers>

#include "oracle/base/hash.h"

namespace oracle {

constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return mixed(mixed(mixed(seed) ^ stream) ^ index);
}

/// In [0, 1).
inline double uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(mixed(seed, stream, index) >> 11) * 0x1.0p-53;
}

/// Mean 0, variance 1 (Box–Muller).
inline double normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const double u = 1 - uniform(seed, stream, 2 * index);
  const double v = uniform(seed, stream, 2 * index + 1);
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

}  // namespace oracle
