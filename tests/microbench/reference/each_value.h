#pragma once
// Visits the values of a dense tensor one by one.

#include <array>
#include <cstddef>
#include <functional>

#include "microbench/kernels/tensor.h"

namespace oracle::reference {

/// Depth, height, width.
using Place = std::array<std::int64_t, 3>;

/// Calls visit(sample, channel, place, index) in the order of the values.
inline void for_each_value(
    const Extents& e,
    const std::function<void(std::int64_t, std::int64_t, const Place&, std::size_t)>& visit) {
  std::size_t index = 0;
  for (std::int64_t n = 0; n < e.samples; ++n) {
    for (std::int64_t c = 0; c < e.channels; ++c) {
      for (std::int64_t d = 0; d < e.depth; ++d) {
        for (std::int64_t h = 0; h < e.height; ++h) {
          for (std::int64_t w = 0; w < e.width; ++w) visit(n, c, {d, h, w}, index++);
        }
      }
    }
  }
}

inline std::size_t index_of(const Extents& e, std::int64_t n, std::int64_t c, const Place& at) {
  return static_cast<std::size_t>(
      (((n * e.channels + c) * e.depth + at[0]) * e.height + at[1]) * e.width + at[2]);
}

}  // namespace oracle::reference
