#pragma once
// How is one channel of a tensor walked over, whatever the blocks that channels lie in?

#include "microbench/kernels/cpu/cpu_tensor.h"

namespace oracle {

/// One channel of a sample: position p lies at `first[p * step]`.
struct ChannelValues {
  float* first;
  std::int64_t step;

  float& at(std::int64_t position) const { return first[position * step]; }
};

inline ChannelValues channel_of(const CpuTensor& tensor, std::int64_t sample,
                                std::int64_t channel) {
  const StorageLayout& layout = tensor.layout();
  return {tensor.data() + layout.offset(sample, channel, 0), layout.block};
}

}  // namespace oracle
