#pragma once
// How do several numbers become one hash?
//
// Worked: h ← (h XOR w)·0x9e3779b97f4a7c15, then h XOR h/2³²        tests/base/hash_test.cpp

#include <cstdint>

namespace oracle {

/// Multiplies by the golden ratio's odd 64-bit fraction and folds: neighbouring words scatter
/// (Fibonacci hashing; Knuth, The Art of Computer Programming 3, 6.4).
constexpr void mix(std::uint64_t& hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
  hash ^= hash >> 32U;
}

}  // namespace oracle
