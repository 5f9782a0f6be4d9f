#pragma once
// What do kernels read on the device because it differs from one step to the next? Passed to a
// launch, each of these would make it another launch in every step.

#include <cstdint>

#include "microbench/kernels/gpu/device/runtime/parallel.h"

namespace oracle::gpu {

struct Adam {
  float rate = 0;  ///< the learning rate over the first moment's bias, 1 − β₁ᵗ
  float first_decay = 0, first_weight = 1;
  float second_decay = 0, second_weight = 1;
  float second_scale = 1;  ///< one over the second moment's bias, 1 − β₂ᵗ
  float epsilon = 0;
  bool operator==(const Adam&) const = default;
};

/// Of an optimizer's step.
struct Update {
  float share = 1;  ///< of a gradient that counts
  float rate = 0, decay = 0;
  Adam adam;
  bool operator==(const Update&) const = default;
};

struct StepValues {
  std::uint64_t seed = 0;     ///< of dropout
  double gradient_scale = 1;  ///< of a loss
  Update update;
  bool operator==(const StepValues&) const = default;
};

/// to = values, `to` on the device.
void store_values(Stream stream, StepValues* to, const StepValues& values);

}  // namespace oracle::gpu
