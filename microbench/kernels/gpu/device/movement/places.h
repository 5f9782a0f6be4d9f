#pragma once
// Which value of a tensor is number i, where channels lie innermost (boxes.h)?
//
// Worked: of 4 channels at 1×2×2 positions number 14 is channel 2 of the last one
//                                        tests/microbench/kernels/gpu/places_test.cpp

#include "microbench/kernels/gpu/device/runtime/parallel.h"

namespace oracle::gpu {

/// Axes are depth, height, width.
struct At {
  std::int64_t sample, channel, p[3];
};

ORACLE_DEVICE inline At place(const std::int64_t* extents, std::int64_t channels, std::int64_t i) {
  At at{};
  at.channel = i % channels;
  i /= channels;
  for (int axis = 2; axis >= 0; --axis) {
    at.p[axis] = i % extents[axis];
    i /= extents[axis];
  }
  at.sample = i;
  return at;
}

}  // namespace oracle::gpu
