#pragma once
// Which numbers are drawn, the same on every standard library?
//
//   z = s += 0x9e3779b97f4a7c15
//   z = (z ^ z>>30) · 0xbf58476d1ce4e5b9
//   z = (z ^ z>>27) · 0x94d049bb133111eb,  drawn: z ^ z>>31
//
// SplitMix64: Steele, Lea & Flood, OOPSLA 2014. Distributions of <random> differ between libraries,
// so ranges are mapped here: the remainder for whole numbers, 53 bits for reals.
//
// Worked: the first draw after seed 0 is 0xe220a8397b1dcdaf       tests/properties/random_test.cpp

#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace oracle {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// Whole number in [least, most].
  std::int64_t whole(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(most - least + 1));
  }
  double real(double least, double most) {
    return least + (most - least) * static_cast<double>(next() >> 11) * 0x1p-53;
  }
  /// Evenly over the orders of magnitude between two positive numbers.
  double magnitude(double least, double most) { return least * std::pow(most / least, real(0, 1)); }
  bool chance(double probability) { return real(0, 1) < probability; }

  template <typename T>
  T pick(std::initializer_list<T> choices) {
    return *(choices.begin() + whole(0, static_cast<std::int64_t>(choices.size()) - 1));
  }

 private:
  std::uint64_t state_;
};

}  // namespace oracle
