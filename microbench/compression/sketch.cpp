#include "microbench/compression/sketch.h"

#include <algorithm>
#include <array>

#include "microbench/compression/top_k.h"
#include "microbench/elements/vectorized.h"
#include "oracle/base/hash.h"
#include "oracle/plan/exchanges/sparse.h"

namespace oracle {
namespace {

constexpr std::uint64_t kHash = 0x736b65746368;
constexpr auto kRows = static_cast<std::size_t>(kSketchRows);

/// Values whose cells are found side by side.
constexpr std::size_t kTogether = 256;

struct SketchCells {
  std::array<std::uint32_t, kTogether> column;
  std::array<float, kTogether> sign;
};

/// Of values from `begin` on in a row of `columns`.
ORACLE_VECTORIZED void find_cells(std::size_t row, std::size_t begin, std::uint64_t columns,
                                  SketchCells& cells) {
  const std::uint64_t seed = mixed(kHash + row);
  for (std::size_t i = 0; i < kTogether; ++i) {
    const std::uint64_t drawn = mixed(seed ^ (begin + i));
    // The upper half times the columns: no division for each value.
    cells.column[i] = static_cast<std::uint32_t>((drawn >> 32) * columns >> 32);
    cells.sign[i] = (drawn & 1) != 0 ? 1.0F : -1.0F;
  }
}

std::uint64_t columns_of(std::span<const float> values, double share) {
  return static_cast<std::uint64_t>(
      sketch_columns(static_cast<std::int64_t>(values.size()), share));
}

/// Leaves the smaller one first.
void order(float& one, float& other) {
  const float smaller = std::min(one, other);
  other = std::max(one, other);
  one = smaller;
}

/// Of five: of two pairs the smallest and the largest of all four are not it.
float median(const std::array<float, kRows>& values) {
  static_assert(kRows == 5);
  auto [a, b, c, d, e] = values;
  order(a, b);
  order(c, d);
  b = std::min(b, d);
  c = std::max(a, c);
  order(b, c);
  return std::max(b, std::min(c, e));
}

}  // namespace

void compress_sketch(std::span<float> values, double share, std::byte* to) {
  const std::uint64_t columns = columns_of(values, share);
  auto* cells = reinterpret_cast<float*>(to);
  std::fill_n(cells, kRows * columns, 0.0F);
  SketchCells found;
  for (std::size_t row = 0; row < kRows; ++row, cells += columns) {
    for (std::size_t begin = 0; begin < values.size(); begin += kTogether) {
      find_cells(row, begin, columns, found);
      const std::size_t count = std::min(kTogether, values.size() - begin);
      for (std::size_t i = 0; i < count; ++i) {
        cells[found.column[i]] += found.sign[i] * values[begin + i];
      }
    }
  }
}

void write_sketch(const std::byte* from, double share, std::span<float> values) {
  const std::uint64_t columns = columns_of(values, share);
  const auto* cells = reinterpret_cast<const float*>(from);
  SketchCells found;
  std::array<std::array<float, kTogether>, kRows> said;
  for (std::size_t begin = 0; begin < values.size(); begin += kTogether) {
    const std::size_t count = std::min(kTogether, values.size() - begin);
    for (std::size_t row = 0; row < kRows; ++row) {
      find_cells(row, begin, columns, found);
      for (std::size_t i = 0; i < count; ++i) {
        said[row][i] = found.sign[i] * cells[row * columns + found.column[i]];
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      values[begin + i] = median({said[0][i], said[1][i], said[2][i], said[3][i], said[4][i]});
    }
  }
}

std::vector<std::uint32_t> places_in_sketch(const std::byte* from, double share,
                                            std::span<float> room) {
  write_sketch(from, share, room);
  return places_of_largest(room, share);
}

}  // namespace oracle
