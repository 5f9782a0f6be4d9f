#pragma once
// Which class is a position's target?

#include <string>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "oracle/base/error.h"
#include "oracle/graph/layer.h"

namespace oracle {

/// Throws InputError where it is none of those that `loss` tells apart.
inline std::int64_t class_at(const CpuTensor& targets, std::int64_t sample, std::int64_t position,
                             const Layer& loss) {
  const float label = targets.data()[targets.layout().offset(sample, 0, position)];
  const std::int64_t classes = loss.input.channels();
  if (!(label >= 0 && label < static_cast<float>(classes))) {
    throw InputError(loss.name,
                     "a sample's class is " + std::to_string(label) + ", and the network has " +
                         std::to_string(classes),
                     "number the classes of the data from 0");
  }
  return static_cast<std::int64_t>(label);
}

}  // namespace oracle
