#pragma once
// What does batch normalization over several ranks do with the channels of a tensor, in any layout?
// Sums are taken in fp32 over at most 256 positions and added up in double.

#include <vector>

#include "microbench/kernels/cpu/storage_layout.h"

namespace oracle {

/// Σx of each channel, then Σx².
std::vector<float> sums_and_squares(const StorageLayout& layout, const float* x);

/// Σdy of each channel, then Σdy·x̂ with x̂ = (x − mean)·inverse.
std::vector<float> sums_against_normalized(const StorageLayout& layout, const float* x,
                                           const float* dy, const float* mean,
                                           const float* inverse);

/// to = a[c]·first + b[c]·second + constant[c]; `to` may be `first`. Zeros that fill up a block
/// stay.
void combine(const StorageLayout& layout, const float* first, const float* second, const float* a,
             const float* b, const float* constant, float* to);

}  // namespace oracle
