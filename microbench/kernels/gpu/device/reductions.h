#pragma once
// How are many values joined into few on the device, with the same bits in every run?
//
// A reduction has segments of `length` rows of `width` columns; the rows of each column of a
// segment are joined. A thread takes every k-th row of its column, so that neighbours read
// neighbours; what threads have is joined in further passes, in the order of their indices. Sums
// are taken in double.
//
//   Worked: batch norm's sums: 1 segment, samples·positions rows, a column per channel;
//           a softmax: a segment per position, a row per channel, 1 column
//                                                     tests/microbench/kernels/batch_norm_test.cpp

#include "microbench/kernels/gpu/device/elementwise.h"

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
/// Σdy of each channel, then Σdy·(x − mean)·inverse.
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

/// Over the channels of each row: its mean and 1/√(σ² + ε).
template <class T>
void row_moments(Stream stream, void* scratch, const Planes& planes, double epsilon, const T* x,
                 float* mean, float* inverse);
/// Σγ·dy of each row, then Σγ·dy·x̂, with mean and inverse by row.
template <class T>
void row_sums(Stream stream, void* scratch, const Planes& planes, const Normalization& by,
              const T* x, const T* dy, float* sums);
/// Over all rows: Σdy·x̂ of each channel, then Σdy, with mean and inverse by row.
template <class T>
void sums_over_rows(Stream stream, void* scratch, const Planes& planes, const Normalization& by,
                    const T* x, const T* dy, float* sums);

/// The largest score of a row, and Σ exp(score − largest).
struct Exponentials {
  double largest, sum;
};
template <class T>
void row_exponentials(Stream stream, void* scratch, const Planes& planes, const T* x,
                      Exponentials* rows);
/// Σ over a sample's positions of log(sum) + largest − x[target]. Where a target is no channel,
/// `bad` becomes 1 + its row, of several of them one.
template <class T>
void softmax_losses(Stream stream, void* scratch, const Planes& planes, const Exponentials* rows,
                    const T* x, const float* targets, float* losses, std::int64_t* bad);
/// dx = (softmax(x) − 1 at the target)·scale
template <class T>
void softmax_backward(Stream stream, const Planes& planes, const Exponentials* rows, const T* x,
                      const float* targets, double scale, T* dx);
/// share·Σ(x − t)² of each sample.
template <class T>
void squared_errors(Stream stream, void* scratch, const Planes& planes, const T* x,
                    const float* targets, double share, float* losses);

}  // namespace oracle::gpu
