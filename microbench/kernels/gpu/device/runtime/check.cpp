#include "microbench/kernels/gpu/device/runtime/check.h"

#include <array>
#include <string>

#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

[[noreturn]] void refuse(const char* call, const std::string& text) {
  throw EnvironmentError(std::string(call) + " failed: " + text);
}

}  // namespace

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) refuse(call, cudaGetErrorString(code));
}

void check(cudnnStatus_t code, const char* call) {
  if (code == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 512> more{};
  cudnnGetLastErrorString(more.data(), more.size() - 1);
  std::string text = cudnnGetErrorString(code);
  if (more[0] != '\0') text += std::string(" (") + more.data() + ")";
  refuse(call, text);
}

void check(cublasStatus_t code, const char* call) {
  if (code != CUBLAS_STATUS_SUCCESS) refuse(call, cublasLtGetStatusString(code));
}

}  // namespace oracle::gpu
