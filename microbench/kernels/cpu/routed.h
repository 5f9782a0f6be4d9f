#pragma once
// Which scores does a token have, for kernels that route tokens by them?

#include <vector>

#include "microbench/kernels/cpu/channel_values.h"

namespace oracle {

/// Of one sample, each expert's token by token.
inline std::vector<float> scores_of(const CpuTensor& scores, std::int64_t sample) {
  std::vector<float> dense;
  for (std::int64_t e = 0; e < scores.extents().channels; ++e) {
    const ChannelValues from = channel_of(scores, sample, e);
    for (std::int64_t p = 0; p < scores.layout().positions(); ++p) dense.push_back(from.at(p));
  }
  return dense;
}

}  // namespace oracle
