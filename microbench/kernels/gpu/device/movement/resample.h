#pragma once
// How is a tensor resampled on the device? Each value is a sum over at most two positions of the
// input along each axis; its gradient, gathered from whoever reads it, has the same bits in every
// run.                                      tests/microbench/kernels/imported_kinds_test.cpp

#include <array>

#include "microbench/kernels/gpu/device/runtime/element.h"
#include "microbench/kernels/resampling.h"

namespace oracle::gpu {

/// The positions of the output that read one of the input: [begin, end), some of them perhaps not.
struct Readers {
  std::int64_t begin = 0, end = 0;
};

/// Tables in the device's memory, for depth, height and width.
struct Resampling {
  Extents input, output;
  std::array<const Read*, 3> reads{};       ///< by position of the output
  std::array<const Readers*, 3> readers{};  ///< by position of the input
};

template <class T>
void resample(Stream stream, const Resampling& resampling, const T* x, T* y);
template <class T>
void resample_backward(Stream stream, const Resampling& resampling, const T* dy, T* dx);

}  // namespace oracle::gpu
