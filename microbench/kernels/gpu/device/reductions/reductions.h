#pragma once
// How are many values joined into few on the device, with the same bits in every run?
//
// A reduction has segments of `length` rows of `width` columns; the rows of each column of a
// segment are joined. A thread takes every k-th row of its column, so that neighbours read
// neighbours; what threads have is joined in further passes, in the order of their indices. Sums
// are taken in double.
//
//   Worked: batch norm's sums: 1 segment, samples·positions rows, a column per channel;
//           a softmax: a segment per position, a row per channel, 1 column (shares.h)
//                                                     tests/microbench/kernels/batch_norm_test.cpp

#include "microbench/kernels/gpu/device/elementwise/elementwise.h"

namespace oracle::gpu {

struct Reduction {
  std::int64_t segments = 1, length = 1, width = 1;
};

/// Bytes of scratch memory that a reduction wants.
std::int64_t scratch_bytes(const Reduction& shape);

/// Σx of each channel, then Σx².
template <class T>
void sums_and_squares(Stream stream, void* scratch, const Planes& planes, const T* x, float* sums);
/// Mean of each channel, and 1/√(σ² + ε).
template <class T>
void channel_moments(Stream stream, void* scratch, const Planes& planes, double epsilon, const T* x,
                     float* mean, float* inverse);
/// Σdy of each channel, then Σdy·(x − mean)·inverse; dy as it comes through a rectifier, where one
/// was taken along.
template <class T>
void sums_against_normalized(Stream stream, void* scratch, const Planes& planes,
                             const Normalization& by, const T* x, const T* dy, float* sums);
/// to = Σx of each channel, or adds it to what is there.
template <class T>
void channel_sums(Stream stream, void* scratch, const Planes& planes, const T* x, T* to,
                  bool accumulate);
/// share·Σx over the positions of each sample and channel.
template <class T>
void position_sums(Stream stream, void* scratch, const Planes& planes, const T* x, float share,
                   T* to);
/// Σ a·b over the positions of each sample and channel.
template <class T>
void position_products(Stream stream, void* scratch, const Planes& planes, const T* a, const T* b,
                       T* to);

/// share·Σ(x − t)² of each sample.
template <class T>
void squared_errors(Stream stream, void* scratch, const Planes& planes, const T* x,
                    const float* targets, double share, float* losses);

}  // namespace oracle::gpu
