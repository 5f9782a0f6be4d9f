#pragma once
// A convolution by cuDNN's calls, each of which has a few algorithms:
//
//   narrow            cudnnConvolutionForward
//   rectified_narrow  cudnnConvolutionBiasActivationForward, y = max(w ∗ x + b, 0)
//   wide              cudnnConvolutionBackwardData
//   filter            cudnnConvolutionBackwardFilter
//                                                tests/microbench/kernels/convolution_test.cpp

#include <memory>
#include <vector>

#include "microbench/kernels/gpu/device/products/convolution_terms.h"

namespace oracle::gpu {

const char* name_of(Operation operation);

class ConvolutionCalls {
 public:
  ConvolutionCalls(const ConvolutionTerms& terms, Math math);
  ~ConvolutionCalls();
  ConvolutionCalls(ConvolutionCalls&&) noexcept;
  ConvolutionCalls& operator=(ConvolutionCalls&&) noexcept;

  /// What cuDNN measures, with as much workspace; nothing where it refuses the shapes.
  std::vector<Candidate> measured(cudnnHandle_t handle, Operation operation, const Operands& of,
                                  void* workspace, std::size_t bytes) const;
  cudnnStatus_t run(cudnnHandle_t handle, Operation operation, const Operands& of,
                    const Candidate& by, void* workspace) const;

 private:
  class Descriptors;

  Math math_;
  std::unique_ptr<Descriptors> descriptors_;
};

}  // namespace oracle::gpu
