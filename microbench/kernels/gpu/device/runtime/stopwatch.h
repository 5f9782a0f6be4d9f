#pragma once
// Times what the device does, by events on the compute stream.

#include <memory>

#include "microbench/kernels/gpu/device/runtime/context.h"
#include "microbench/kernels/stopwatch.h"

namespace oracle::gpu {

std::unique_ptr<Stopwatch> event_stopwatch(Context& context);

}  // namespace oracle::gpu
