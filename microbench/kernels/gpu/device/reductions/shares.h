#pragma once
// How are values turned into shares of one, exp x[i] / Σ_j exp x[j], from the largest down so that
// nothing overflows? For a softmax inside a network, and for the loss that ends with one.
//
// The values that share lie as a reduction says: its rows, for each segment and column.
//
//   Worked: of 0 and ln 3 the largest is ln 3 and the sum 4/3; the shares are 1/4 and 3/4
//                                             tests/microbench/kernels/imported_kinds_test.cpp

#include "microbench/kernels/gpu/device/reductions/reductions.h"
#include "microbench/kernels/gpu/device/runtime/fault.h"

namespace oracle::gpu {

/// The largest of the values that share, and Σ exp(x − largest).
struct Exponentials {
  float largest, sum;
};
/// By segment, then by column.
template <class T>
void exponentials(Stream stream, void* scratch, const Reduction& shape, const T* x,
                  Exponentials* to);
/// y may be x.
template <class T>
void to_shares(Stream stream, const Reduction& shape, const Exponentials* all, const T* x, T* y);
/// Σ dy·y of those that share.
template <class T>
void share_products(Stream stream, void* scratch, const Reduction& shape, const T* y, const T* dy,
                    float* sums);
/// dx = y·(dy − Σ dy·y); dx may be dy.
template <class T>
void through_shares(Stream stream, const Reduction& shape, const float* sums, const T* y,
                    const T* dy, T* dx);

/// Σ over a sample's positions of log(sum) + largest − x[target]. Where a target is no channel,
/// `fault` gets it.
template <class T>
void softmax_losses(Stream stream, void* scratch, const Planes& planes, const Exponentials* rows,
                    const T* x, const float* targets, float* losses, Fault* fault);
/// dx = (softmax(x) − 1 at the target)·scale, which lies on the device
template <class T>
void softmax_loss_backward(Stream stream, const Planes& planes, const Exponentials* rows,
                           const T* x, const float* targets, const double* scale, T* dx);

}  // namespace oracle::gpu
