#pragma once
// The back end of one GPU: cuDNN's convolutions, cuBLASLt's products and our own kernels, on memory
// that is counted. Lives in a shared library of its own, which module.cpp is the door to.

#include <memory>

#include "microbench/kernels/backend.h"
#include "microbench/kernels/gpu/device/runtime/context.h"

namespace oracle::gpu {

std::unique_ptr<Backend> make_backend(Math math);

}  // namespace oracle::gpu
