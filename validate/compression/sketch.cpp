#include "validate/compression/sketch.h"

#include <algorithm>
#include <array>

#include "oracle/plan/exchanges/sparse.h"
#include "validate/compression/top_k.h"
#include "validate/data/random.h"

namespace oracle {
namespace {

constexpr std::uint64_t kHash = 0x736b65746368;
constexpr auto kRows = static_cast<std::size_t>(kSketchRows);

struct SketchCell {
  std::size_t column;
  float sign;
};

/// Of value `i` in a row of `columns`.
SketchCell cell_of(std::size_t row, std::size_t i, std::uint64_t columns) {
  const std::uint64_t drawn = mixed(mixed(kHash + row) ^ i);
  // The upper half times the columns: no division for each value.
  return {static_cast<std::size_t>((drawn >> 32) * columns >> 32), (drawn & 1) != 0 ? 1.0F : -1.0F};
}

std::uint64_t columns_of(std::span<const float> values, double share) {
  return static_cast<std::uint64_t>(
      sketch_columns(static_cast<std::int64_t>(values.size()), share));
}

float median(std::array<float, kRows> values) {
  std::nth_element(values.begin(), values.begin() + kRows / 2, values.end());
  return values[kRows / 2];
}

}  // namespace

void compress_sketch(std::span<float> values, double share, std::byte* to) {
  const std::uint64_t columns = columns_of(values, share);
  auto* cells = reinterpret_cast<float*>(to);
  std::fill_n(cells, kRows * columns, 0.0F);
  for (std::size_t row = 0; row < kRows; ++row, cells += columns) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const SketchCell cell = cell_of(row, i, columns);
      cells[cell.column] += cell.sign * values[i];
    }
  }
}

void add_sketch(const std::byte* from, double share, std::span<float> sum) {
  const std::uint64_t columns = columns_of(sum, share);
  const auto* cells = reinterpret_cast<const float*>(from);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    std::array<float, kRows> said{};
    for (std::size_t row = 0; row < kRows; ++row) {
      const SketchCell cell = cell_of(row, i, columns);
      said[row] = cell.sign * cells[row * columns + cell.column];
    }
    sum[i] += median(said);
  }
}

std::vector<std::uint32_t> places_in_sketch(const std::byte* from, double share,
                                            std::span<float> room) {
  std::fill(room.begin(), room.end(), 0.0F);
  add_sketch(from, share, room);
  return places_of_largest(room, share);
}

}  // namespace oracle
