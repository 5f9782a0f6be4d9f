#pragma once
// How is something done to each of many values on the device?
//
// A body is called once for each index, in no order. Compiled by nvcc it is a kernel. Compiled by a
// plain C++ compiler, for tests where no GPU is, it is a loop that the test runs, and memory of the
// device can be reached inside the loop alone (DeviceAccess is the test's). What is written here
// once is thus proved on any machine but for the launch itself.
//                                                         tests/emulated_gpu/README.md

#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>

#include "microbench/kernels/gpu/device/runtime/check.h"

// ORACLE_UNROLLED stands before a loop whose loads are to be under way together.
#ifdef __CUDACC__
#define ORACLE_DEVICE __device__
#define ORACLE_UNROLLED _Pragma("unroll 4")
#else
#define ORACLE_DEVICE
#define ORACLE_UNROLLED
#endif

namespace oracle::gpu {

using Stream = cudaStream_t;

#ifdef __CUDACC__

constexpr unsigned kThreadsPerBlock = 256;
constexpr std::int64_t kMostBlocks = 1 << 20;

template <class Body>
__global__ void run_body(std::int64_t count, Body body) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    body(i);
  }
}

template <class Body>
void parallel_for(Stream stream, std::int64_t count, Body body) {
  if (count <= 0) return;
  std::int64_t blocks = (count + kThreadsPerBlock - 1) / kThreadsPerBlock;
  if (blocks > kMostBlocks) blocks = kMostBlocks;
  run_body<<<static_cast<unsigned>(blocks), kThreadsPerBlock, 0, stream>>>(count, body);
  check(cudaGetLastError(), "starting a kernel");
}

#else

/// While one lives, memory of the emulated device can be reached, as the calling thread's work so
/// far left it.
class DeviceAccess {
 public:
  DeviceAccess();
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;
};

/// The test's (tests/emulated_gpu/stream.h): work, and the arguments of `bytes` that it was given.
void start_emulated(std::function<void(bool backwards)> work, const void* arguments,
                    std::size_t bytes);

template <class Body>
void parallel_for(Stream, std::int64_t count, Body body) {
  const auto work = [=](bool backwards) {
    for (std::int64_t i = 0; i < count; ++i) body(backwards ? count - 1 - i : i);
  };
  start_emulated(work, &body, sizeof body);
}

#endif

}  // namespace oracle::gpu
