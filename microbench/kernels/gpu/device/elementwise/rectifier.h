#pragma once
// What is cuDNN told of the bias and the rectifier that a convolution takes along?
//
//   y = max(w ∗ x + b, 0)        cudnnConvolutionBiasActivationForward with α₂ = 0
//
// b has one value per channel, of the type of the tensors; what is no number becomes 0, as in
// kernels of ours.

#include <cstddef>

#include "microbench/kernels/gpu/device/runtime/check.h"

namespace oracle::gpu {

class Rectifier {
 public:
  /// Of so many channels, and tensors of `axes` spatial axes.
  Rectifier(cudnnDataType_t type, int channels, std::size_t axes);
  ~Rectifier();
  Rectifier(const Rectifier&) = delete;
  Rectifier& operator=(const Rectifier&) = delete;

  cudnnTensorDescriptor_t bias() const { return bias_; }
  cudnnActivationDescriptor_t function() const { return function_; }

 private:
  cudnnTensorDescriptor_t bias_ = nullptr;
  cudnnActivationDescriptor_t function_ = nullptr;
};

}  // namespace oracle::gpu
