#pragma once
// How does layer normalization pass over a tensor, in any layout, in vector code?
//
// A block of channels of one sample is a row: positions·block values that lie side by side. What
// belongs to a position is spread over such a row once, so that all passes are loops over two or
// three rows of equal length. Sums are taken in double.
//
// Worked: 3 channels in blocks of 2, one position (5, 7 | 9, 0): sums 21 of that position
//                                              tests/microbench/kernels/cpu/position_rows_test.cpp

#include <cstdint>
#include <vector>

#include "microbench/kernels/cpu/storage_layout.h"

namespace oracle {

/// Values of a row, one for each position and lane.
using Row = std::vector<float>;
using RowSums = std::vector<double>;

/// The same memory, in rows as long as can be: of one position all channels lie side by side.
inline StorageLayout in_rows(StorageLayout layout) {
  if (layout.positions() == 1 && layout.block == 1) layout.block = layout.extents.channels;
  return layout;
}

/// The row of that block of a sample.
inline std::int64_t row_offset(const StorageLayout& layout, std::int64_t sample,
                               std::int64_t block) {
  return sample * layout.sample_stride() + block * layout.positions() * layout.block;
}
inline std::int64_t row_length(const StorageLayout& layout) {
  return layout.positions() * layout.block;
}

/// One value of each position, in all its lanes.
void spread_positions(const StorageLayout& layout, const float* of_position, Row& row);
/// One value of each channel of the block, at all positions; 0 where a block is filled up.
void spread_channels(const StorageLayout& layout, std::int64_t block, const float* of_channel,
                     Row& row);
/// Sums over the lanes: of each position.
std::vector<double> fold_lanes(const StorageLayout& layout, const RowSums& row);
/// Sums over the positions: of each lane.
std::vector<double> fold_positions(const StorageLayout& layout, const RowSums& row);
/// Zero where the block is filled up.
void clear_filling(const StorageLayout& layout, std::int64_t block, float* row);

struct RowNorm {
  const Row& mean;
  const Row& inverse;
};

void add_values(const float* x, RowSums& sums);
/// (x − mean)².
void add_squares(const float* x, const Row& mean, RowSums& sums);
/// g and g·x̂, with g = dy·factor and x̂ = (x − mean)·inverse.
void add_gradients(const float* x, const float* dy, const Row& factor, const RowNorm& norm,
                   RowSums& sums, RowSums& products);
/// y = x̂·gamma + beta; y may be x.
void normalize(const float* x, const RowNorm& norm, const Row& gamma, const Row& beta, float* y);
/// dx = (dy·gamma − sum − x̂·product)·inverse; dx may be dy.
void through_norm(const float* x, const float* dy, const RowNorm& norm, const Row& gamma,
                  const Row& sum, const Row& product, float* dx);

}  // namespace oracle
