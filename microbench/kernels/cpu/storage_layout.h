#pragma once
// In which order do a tensor's values lie in memory?
//
// One number tells all orders that oneDNN's fp32 kernels use: `block`, the channels that lie side
// by side. With B blocks of b channels (the last one filled up with zeros) and P positions
//   offset(n, c, p) = ((n·B + c/b)·P + p)·b + c mod b
// b = 1 is plain NCDHW, b = 16 is oneDNN's nCdhw16c, b = C is channels last.
//
// Worked: 1×3×1×1×2 in blocks of 2: channel 2 at position 1 lies at offset 6, of 8 in all
//                                                     tests/microbench/kernels/cpu/layout_test.cpp

#include <cstdint>

#include "microbench/kernels/tensor.h"

namespace oracle {

struct StorageLayout {
  Extents extents;
  std::int64_t block = 1;

  /// Where there is one position and no zero to fill up, every block is the plain order; it is
  /// written as such, so that equal memory has an equal layout.
  static StorageLayout of(const Extents& extents, std::int64_t block);

  std::int64_t positions() const { return extents.depth * extents.height * extents.width; }
  std::int64_t blocks() const { return (extents.channels + block - 1) / block; }
  std::int64_t sample_stride() const { return blocks() * positions() * block; }
  /// Floats in memory, the zeros included.
  std::int64_t stored() const { return extents.samples * sample_stride(); }
  bool filled_up() const { return blocks() * block != extents.channels; }
  std::int64_t offset(std::int64_t sample, std::int64_t channel, std::int64_t position) const {
    return ((sample * blocks() + channel / block) * positions() + position) * block +
           channel % block;
  }
  bool operator==(const StorageLayout&) const = default;
};

/// Calls visit(offset, count, sample, first, position) for each position of each block: `count`
/// real channels from `first` on, stored at `offset`. In the order of memory.
template <class Visit>
void for_each_run(const StorageLayout& layout, Visit visit) {
  std::int64_t offset = 0;
  const std::int64_t positions = layout.positions();
  for (std::int64_t sample = 0; sample < layout.extents.samples; ++sample) {
    for (std::int64_t first = 0; first < layout.extents.channels; first += layout.block) {
      const std::int64_t left = layout.extents.channels - first;
      const std::int64_t count = left < layout.block ? left : layout.block;
      for (std::int64_t position = 0; position < positions; ++position) {
        visit(offset, count, sample, first, position);
        offset += layout.block;
      }
    }
  }
}

}  // namespace oracle
