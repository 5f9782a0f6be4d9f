#pragma once
// What trains, and what carries the gradients? A device names a row of the back ends and one of the
// communicators.
//
//   cpu   oneDNN, messages over MPI; fp32
//   gpu   cuDNN and cuBLASLt, collectives of NCCL; fp32, tf32 (factors are rounded), bf16 or fp16
//         (all values but weights, optimizer state, statistics and losses)
//                                                       tests/validate/train/device_test.cpp

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"

namespace oracle {

struct TrainDevice {
  std::string_view name;
  std::string_view communicator;
  std::span<const std::string_view> precisions;
};

/// Throws InputError for a name that is none.
const TrainDevice& device_named(std::string_view name);

/// Throws EnvironmentError where this program was built without them.
BackendRow backend_for(const TrainDevice& device, std::string_view precision);
CommunicatorRow communicator_for(const TrainDevice& device);

}  // namespace oracle
