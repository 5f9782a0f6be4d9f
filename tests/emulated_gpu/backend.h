#pragma once
// The GPU back end on a device that is none.

#include <memory>
#include <string_view>

#include "microbench/kernels/backend.h"

namespace oracle {

/// `math` as gpu::math_named knows it.
std::unique_ptr<Backend> emulated_gpu_backend(std::string_view math = "fp32");

}  // namespace oracle
