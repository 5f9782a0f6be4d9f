#pragma once
// Slow, plain kernels for tests of the executor: dense tensors, loops, sums in double.

#include <memory>

#include "microbench/kernels/backend.h"

namespace oracle {

std::unique_ptr<Backend> plain_backend();

}  // namespace oracle
