#include "tests/emulated_gpu/backend.h"

#include "microbench/kernels/gpu/device/backend.h"

namespace oracle {

std::unique_ptr<Backend> emulated_gpu_backend() { return gpu::make_backend(gpu::Math::fp32); }

}  // namespace oracle
