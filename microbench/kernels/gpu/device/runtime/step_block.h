#pragma once
// Where do a step's values lie on the device, and when are they written? At one place for the life
// of the back end, before the step (Backend::begin_step). A call or an update by other values than
// those writes them first: what it is given always counts.
//                                         tests/microbench/kernels/gpu/step_block_test.cpp

#include <optional>

#include "microbench/kernels/backend.h"
#include "microbench/kernels/gpu/device/runtime/allocator.h"
#include "microbench/kernels/gpu/device/runtime/step_values.h"

namespace oracle::gpu {

class StepBlock {
 public:
  /// Not counted, and no tensor's. The memory outlives it.
  StepBlock(Stream stream, DeviceMemory& memory);
  ~StepBlock();
  StepBlock(const StepBlock&) = delete;
  StepBlock& operator=(const StepBlock&) = delete;

  void write(const StepScalars& now);
  /// A step is recorded, which reads what is there: to write now is a Defect.
  void hold(bool held) { held_ = held; }
  // For the device, with the value that is given.
  const std::uint64_t* seed(std::uint64_t now);
  const double* gradient_scale(double now);
  const Update* update(const OptimizerStep& now);

 private:
  /// Nothing where they are there.
  void write(const StepValues& values);
  StepValues written() const { return written_.value_or(StepValues()); }

  Stream stream_;
  DeviceMemory& memory_;
  StepValues* values_;
  std::optional<StepValues> written_;
  bool held_ = false;
};

}  // namespace oracle::gpu
