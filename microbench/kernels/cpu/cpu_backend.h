#pragma once
// The back end of this processor: oneDNN's kernels and ours, on memory that is counted.

#include <memory>

#include "microbench/kernels/backend.h"

namespace oracle {

/// A rank's own thread, or several.
std::unique_ptr<Backend> make_cpu_backend(int threads);

}  // namespace oracle
