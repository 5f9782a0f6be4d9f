#pragma once
// What becomes of a call that CUDA or one of its libraries refuses? An EnvironmentError with the
// call, the library's text, and where it helps a remedy: exit code 3.
//
// Worked: "cudaMalloc failed: out of memory"     tests/microbench/kernels/gpu/check_test.cpp

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

namespace oracle::gpu {

void check(cudaError_t code, const char* call);
void check(cudnnStatus_t code, const char* call);
void check(cublasStatus_t code, const char* call);

}  // namespace oracle::gpu
