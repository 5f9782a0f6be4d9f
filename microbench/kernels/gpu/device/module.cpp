// The door of the shared library: what a program that opened it may call (../gpu_backend.cpp).

#include "microbench/kernels/gpu/device/backend.h"

extern "C" {

/// The caller owns it. Throws EnvironmentError where there is no GPU.
__attribute__((visibility("default"))) oracle::Backend* oracle_make_gpu_backend(bool tf32) {
  return oracle::gpu::make_backend(tf32 ? oracle::gpu::Math::tf32 : oracle::gpu::Math::fp32)
      .release();
}
}
