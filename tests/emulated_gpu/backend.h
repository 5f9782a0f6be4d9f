#pragma once
// The GPU back end on a device that is none.

#include <memory>

#include "microbench/kernels/backend.h"

namespace oracle {

std::unique_ptr<Backend> emulated_gpu_backend();

}  // namespace oracle
