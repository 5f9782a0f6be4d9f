#include "microbench/kernels/gpu/device/runtime/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "oracle/base/error.h"

namespace oracle::gpu {
namespace check_test {

template <class Code>
std::string said_of(Code code, const char* call) {
  try {
    check(code, call);
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "";
}

TEST(GpuCheck, SaysNothingOfSuccess) {
  EXPECT_EQ(said_of(cudaSuccess, "cudaMalloc"), "");
  EXPECT_EQ(said_of(CUDNN_STATUS_SUCCESS, "cudnnCreate"), "");
  EXPECT_EQ(said_of(CUBLAS_STATUS_SUCCESS, "cublasLtCreate"), "");
}

TEST(GpuCheck, NamesTheCallAndTheReason) {
  EXPECT_EQ(said_of(cudaErrorMemoryAllocation, "cudaMalloc"), "cudaMalloc failed: out of memory");
  EXPECT_THAT(said_of(CUDNN_STATUS_BAD_PARAM, "cudnnConvolutionForward"),
              testing::StartsWith("cudnnConvolutionForward failed: CUDNN_STATUS_BAD_PARAM"));
  EXPECT_THAT(said_of(CUBLAS_STATUS_INVALID_VALUE, "cublasLtMatmul"),
              testing::StartsWith("cublasLtMatmul failed: "));
}

}  // namespace check_test
}  // namespace oracle::gpu
