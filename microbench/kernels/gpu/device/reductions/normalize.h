#pragma once
// What is a value of a batch norm, and which gradient reaches it through a rectifier? For .cu
// files.
//
// A rectifier that is taken along writes max(y, 0), and backward lets dy through where that is
// positive. It is made again of x, by the same operations as forward and rounded to the same type,
// so that nothing is kept for it.
//                                                     tests/microbench/kernels/batch_norm_test.cpp

#include "microbench/kernels/gpu/device/runtime/lanes.h"

namespace oracle::gpu {

/// What is known of a thread's channels.
template <int n>
struct ChannelNorm {
  Floats<n> mean, inverse, gamma, beta;
  bool rectified;
};

template <int n>
ORACLE_DEVICE ChannelNorm<n> norm_of(const Normalization& by, const Lanes<n>& channels) {
  return {channels.of(by.mean), channels.of(by.inverse), channels.of(by.gamma, 1),
          channels.of(by.beta, 0), by.rectified};
}

template <class T>
bool packed_norm(const Normalization& by) {
  return packed<T>(by.mean, by.inverse, by.gamma, by.beta);
}

/// x̂ of a lane's value.
template <int n>
ORACLE_DEVICE float normalized(const ChannelNorm<n>& by, int lane, float x) {
  return (x - by.mean[lane]) * by.inverse[lane];
}

/// As it is written.
template <class T, int n>
ORACLE_DEVICE T output_of(const ChannelNorm<n>& by, int lane, float x) {
  const float y = normalized(by, lane, x) * by.gamma[lane] + by.beta[lane];
  return static_cast<T>(by.rectified && !(y > 0) ? 0.0F : y);
}

/// Of what the batch norm itself made, where `dy` is that of what was written.
template <class T, int n>
ORACLE_DEVICE float gradient_through(const ChannelNorm<n>& by, int lane, float x, float dy) {
  return !by.rectified || wide(output_of<T>(by, lane, x)) > 0 ? dy : 0.0F;
}

}  // namespace oracle::gpu
