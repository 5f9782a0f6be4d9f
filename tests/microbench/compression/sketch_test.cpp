#include "microbench/compression/sketch.h"

#include <cmath>
#include <gtest/gtest.h>

#include "oracle/plan/exchanges/sparse.h"
#include "tests/properties/random.h"

namespace oracle {
namespace sketch_test {

constexpr std::size_t kCount = 1000;
constexpr double kShare = 0.01;

/// Two large values among small ones.
std::vector<float> with_two_large(std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(kCount);
  for (float& value : values) value = static_cast<float>(random.real(-1, 1));
  for (std::size_t i = 0; i < 2; ++i) values[97 * i + 5] = i % 2 == 0 ? 100.0F : -100.0F;
  return values;
}

std::vector<float> sketch_of(std::vector<float> values) {
  std::vector<float> cells(static_cast<std::size_t>(sketch_bytes(kCount, kShare)) / 4);
  compress_sketch(values, kShare, reinterpret_cast<std::byte*>(cells.data()));
  return cells;
}

std::vector<std::uint32_t> places_of(const std::vector<float>& cells) {
  std::vector<float> room(kCount);
  return places_in_sketch(reinterpret_cast<const std::byte*>(cells.data()), kShare, room);
}

TEST(Sketch, FindsTheLargest) {
  int found = 0;
  const std::vector<std::uint32_t> places = places_of(sketch_of(with_two_large(5)));
  ASSERT_EQ(places.size(), 10U);
  for (const std::uint32_t place : places) {
    found += (place - 5) % 97 == 0 && place < 2 * 97 ? 1 : 0;
  }
  EXPECT_EQ(found, 2);
}

TEST(Sketch, AddsUp) {
  const std::vector<float> one = with_two_large(5), other = with_two_large(6);
  std::vector<float> sum(kCount), cells = sketch_of(one);
  const std::vector<float> more = sketch_of(other);
  for (std::size_t i = 0; i < kCount; ++i) sum[i] = one[i] + other[i];
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] += more[i];
  const std::vector<float> expected = sketch_of(sum);
  for (std::size_t i = 0; i < cells.size(); ++i) EXPECT_NEAR(cells[i], expected[i], 1e-3);
}

/// Its error is that of the cells: the norm of the values over the root of the columns, or so.
TEST(Sketch, EstimatesEachValue) {
  const std::vector<float> values = with_two_large(7);
  std::vector<float> said(kCount, 0);
  const std::vector<float> cells = sketch_of(values);
  write_sketch(reinterpret_cast<const std::byte*>(cells.data()), kShare, said);
  double norm = 0, error = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    norm += std::pow(values[i], 2);
    error += std::pow(values[i] - said[i], 2) / kCount;
  }
  EXPECT_LE(std::sqrt(error),
            std::sqrt(norm / static_cast<double>(sketch_columns(kCount, kShare))));
}

}  // namespace sketch_test
}  // namespace oracle
