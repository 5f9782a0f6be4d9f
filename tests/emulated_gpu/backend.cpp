#include "tests/emulated_gpu/backend.h"

#include "microbench/kernels/gpu/device/runtime/backend.h"

namespace oracle {

std::unique_ptr<Backend> emulated_gpu_backend(std::string_view math) {
  return gpu::make_backend(gpu::math_named(math));
}

}  // namespace oracle
