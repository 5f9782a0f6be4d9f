#pragma once
// What is a value of a batch norm, and which gradient reaches it through a rectifier? For .cu
// files.
//
// A rectifier that is taken along writes max(y, 0), and backward lets dy through where that is
// positive. It is made anew of x, by the same operations as forward and rounded to the same type,
// so that nothing is kept for it.
//                                                     tests/microbench/kernels/batch_norm_test.cpp

#include "microbench/kernels/gpu/device/elementwise.h"

namespace oracle::gpu {

/// x̂ of a value of channel `c`.
template <class T>
ORACLE_DEVICE float normalized(const Normalization& by, std::int64_t c, T x) {
  return (wide(x) - by.mean[c]) * by.inverse[c];
}

/// As it is written.
template <class T>
ORACLE_DEVICE T output_of(const Normalization& by, std::int64_t c, T x) {
  const float y = normalized(by, c, x) * (by.gamma == nullptr ? 1.0F : by.gamma[c]) +
                  (by.beta == nullptr ? 0.0F : by.beta[c]);
  return static_cast<T>(by.rectified && !(y > 0) ? 0.0F : y);
}

/// Of what the batch norm itself made, where `dy` is that of what was written.
template <class T>
ORACLE_DEVICE float gradient_through(const Normalization& by, std::int64_t c, T x, T dy) {
  return !by.rectified || wide(output_of(by, c, x)) > 0 ? wide(dy) : 0.0F;
}

}  // namespace oracle::gpu
