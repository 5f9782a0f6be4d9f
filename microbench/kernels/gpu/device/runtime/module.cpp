// The door of the shared library: what a program that opened it may call (../gpu_backend.cpp).

#include "microbench/kernels/gpu/device/runtime/backend.h"

extern "C" {

/// The caller owns it. `math` is one of gpu::Math by name. Throws EnvironmentError where there is
/// no GPU that computes so.
__attribute__((visibility("default"))) oracle::Backend* oracle_make_gpu_backend(const char* math) {
  return oracle::gpu::make_backend(oracle::gpu::math_named(math)).release();
}
}
