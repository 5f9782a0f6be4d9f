#pragma once
// What does a rank compute beside and between messages?
//
// A product of small matrices again and again: arithmetic out of the nearest cache, so that how
// long it takes says what others leave of the core, and nothing of memory.

#include <array>
#include <cstddef>

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

}  // namespace oracle
