#pragma once
// How is a step written down and done again? As a CUDA graph, captured from the compute stream by
// the calling thread. Replaying it is one call, whatever it holds.
//                                             tests/microbench/kernels/gpu/recording_test.cpp

#include <functional>
#include <memory>

#include "microbench/kernels/gpu/device/runtime/context.h"

namespace oracle::gpu {

/// As Backend::record. The context outlives it.
std::unique_ptr<Recording> record(Context& context, const std::function<void()>& work);

}  // namespace oracle::gpu
