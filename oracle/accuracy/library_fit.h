#pragma once
// Which constants of a GPU's libraries fit the kernels that were timed?
//
//   loss = mean over kernels of min(1, |ln(predicted / measured)|)
//
// Coordinate descent from the constants in use: each is multiplied by smaller and smaller factors
// as long as the loss falls. Tiles stay as they are.
//
// Worked: kernels priced at 0.8 of a ceiling of 1 ask for 0.8
//                                                          tests/accuracy/library_fit_test.cpp

#include <span>
#include <string_view>

#include "oracle/cluster/cluster.h"
#include "oracle/cost/compute/gpu_library.h"
#include "oracle/cost/compute/kernel.h"

namespace oracle {

/// A kernel repeated alone, as somebody timed it. The cluster must outlive it.
struct TimedKernel {
  KernelDemand demand;
  DataType type = DataType::fp32;
  const Cluster* cluster = nullptr;
  Seconds measured;
};

double library_loss(const GpuLibrary& library, std::span<const TimedKernel> kernels);

struct LibraryConstant {
  std::string_view name;
  double& (*of)(GpuLibrary& library);
};

/// Those that a fit may change.
std::span<const LibraryConstant> library_constants();

/// The constants with the least loss that descent finds. Deterministic.
GpuLibrary fit_library(GpuLibrary start, std::span<const TimedKernel> kernels);

}  // namespace oracle
