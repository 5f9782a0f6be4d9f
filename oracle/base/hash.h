#pragma once
// How do several numbers become one hash?
//
// Worked: h ← (h XOR w)·0x9e3779b97f4a7c15, then h XOR h/2³²        tests/base/hash_test.cpp

#include <cstdint>
#include <string>
#include <string_view>

namespace oracle {

/// Multiplies by the golden ratio's odd 64-bit fraction and folds: neighbouring words scatter
/// (Fibonacci hashing; Knuth, The Art of Computer Programming 3, 6.4).
constexpr void mix(std::uint64_t& hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
  hash ^= hash >> 32U;
}

/// SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): each bit hangs on all of `value`.
constexpr std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

/// FNV-1a, 64 bits, of what is added so far (Fowler, Noll and Vo, IETF draft-eastlake-fnv): the
/// same on every machine, which changes with every byte and is no proof against intent.
/// Worked: of "a" af63dc4c8601ec8c
class Fnv1a {
 public:
  constexpr void add(std::string_view bytes) {
    for (const char c : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  constexpr std::uint64_t value() const { return hash_; }
  /// In 16 hexadecimal digits.
  std::string digits() const;

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace oracle
