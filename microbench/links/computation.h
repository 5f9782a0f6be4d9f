#pragma once
// What does a rank compute beside and between messages?
//
// Beside: a product of small matrices again and again, arithmetic out of the nearest cache, so that
// how long it takes says what others leave of the core, and nothing of memory.
//
// Between: what layers do, about as long products as passes over memory where nothing has been for
// long. Ranks that wait for memory come apart more than those that do not, and a message begins
// with none of its own in a cache: after 2 ms of products alone a sum of a few bytes is waited for
// 35 us longer, after 2 ms of both 50 us (two cores of a Xeon, 2026-11-26).

#include <array>
#include <cstddef>
#include <vector>

namespace oracle {

class Computation {
 public:
  void once() {
    for (std::size_t i = 0; i < kSide; ++i) {
      for (std::size_t k = 0; k < kSide; ++k) {
        const float factor = a_[i * kSide + k];
        for (std::size_t j = 0; j < kSide; ++j) c_[i * kSide + j] += factor * b_[k * kSide + j];
      }
    }
    // Its result decides the next input, so that no product can be left out.
    a_[0] = c_[kSide + 1] * 1e-30F;
  }

  void times(int count) {
    for (int i = 0; i < count; ++i) once();
  }

 private:
  static constexpr std::size_t kSide = 64;
  std::array<float, kSide * kSide> a_{}, b_{}, c_{};
};

/// As layers do.
class LayersComputation {
 public:
  void once() {
    products_.times(kProducts);
    for (std::size_t i = 0; i < kPassed; ++i) memory_[at_ + i] += 1;
    at_ = (at_ + kPassed) % kFloats;
  }

  void times(int count) {
    for (int i = 0; i < count; ++i) once();
  }

 private:
  static constexpr int kProducts = 5;
  /// 256 KiB at a time of what no core's own cache holds.
  static constexpr std::size_t kPassed = std::size_t{1} << 16, kFloats = std::size_t{1} << 23;
  Computation products_;
  std::vector<float> memory_ = std::vector<float>(kFloats);
  std::size_t at_ = 0;
};

}  // namespace oracle
