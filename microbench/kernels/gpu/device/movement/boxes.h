#pragma once
// How do values move between tensors, parts of them and dense memory? Tensors lie with their
// channels innermost:
//   offset(n, c, d, h, w) = (((n·D + d)·H + h)·W + w)·C + c
// dense memory as microbench/kernels/tensor.h says, n, c, d, h, w.
//
// Worked: channel 2 at the last position of 1×4×1×2×2 lies at 14, and densely at 11
//                                                tests/microbench/kernels/tensor_test.cpp

#include "microbench/kernels/gpu/device/runtime/element.h"
#include "microbench/kernels/tensor.h"

namespace oracle::gpu {

template <class T>
void pack(Stream stream, const T* tensor, const Extents& extents, const Box& box, T* dense);
template <class T>
void unpack(Stream stream, T* tensor, const Extents& extents, const Box& box, const T* dense,
            bool accumulate);

/// Values of `box` of `from` to the box of equal size at `begin` of `to`.
template <class T>
void copy_box(Stream stream, const T* from, const Extents& from_extents, const Box& box, T* to,
              const Extents& to_extents, const Extents& begin);

/// `count` channels of each of `rows` rows, from channel `from_begin` on to channel `to_begin` on.
struct ChannelCopy {
  std::int64_t rows = 0, count = 0;
  std::int64_t from_channels = 0, from_begin = 0;
  std::int64_t to_channels = 0, to_begin = 0;
};
template <class T>
void copy_channels(Stream stream, const ChannelCopy& copy, const T* from, T* to);

/// The values of each sample, numbered channels outermost, in another shape of as many.
struct Renumbering {
  std::int64_t samples = 0;
  std::int64_t from_channels = 0, from_positions = 0;
  std::int64_t to_channels = 0, to_positions = 0;
};
template <class T>
void renumber(Stream stream, const Renumbering& shapes, const T* from, T* to);

/// `outer` matrices of positions × channels become channels × positions, and back.
template <class T>
void to_channels_first(Stream stream, const T* from, std::int64_t outer, std::int64_t channels,
                       std::int64_t positions, T* to);
template <class T>
void to_channels_last(Stream stream, const T* from, std::int64_t outer, std::int64_t channels,
                      std::int64_t positions, T* to);

}  // namespace oracle::gpu
