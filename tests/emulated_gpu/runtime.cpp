// CUDA's runtime, as far as the GPU back end calls it; all is done when a call returns.

#include <cstring>
#include <cuda_runtime_api.h>

#include "microbench/kernels/gpu/device/parallel.h"
#include "tests/emulated_gpu/device.h"
#include "tests/emulated_gpu/memory.h"

namespace emulated = oracle::emulated;
using oracle::gpu::DeviceAccess;

emulated::Capability& emulated::capability() {
  static Capability said;
  return said;
}

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  properties->major = emulated::capability().major;
  properties->minor = emulated::capability().minor;
  std::strncpy(properties->name, "emulated GPU", sizeof properties->name - 1);
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, size_t bytes) {
  *data = emulated::take(bytes);
  return *data == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaFree(void* data) {
  emulated::give(data);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  if (kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  const DeviceAccess access;
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  if (!emulated::is_device(to)) return cudaErrorInvalidValue;
  const DeviceAccess access;
  std::memset(to, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* data) {
  *attributes = {};
  attributes->type = emulated::is_device(data) ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }

const char* cudaGetErrorString(cudaError_t code) {
  return code == cudaErrorMemoryAllocation ? "out of memory" : "an error";
}
}
