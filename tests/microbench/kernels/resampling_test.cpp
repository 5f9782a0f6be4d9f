#include "microbench/kernels/resampling.h"

#include <gtest/gtest.h>

namespace oracle {
namespace resampling_test {

void expect_read(const Read& read, const Read& expected) {
  EXPECT_EQ(read.first, expected.first);
  EXPECT_FLOAT_EQ(read.of_first, expected.of_first);
  EXPECT_FLOAT_EQ(read.of_second, expected.of_second);
  if (expected.of_second != 0) {
    EXPECT_EQ(read.second, expected.second);
  }
}

TEST(Resampling, MixesTheTwoNearestPositions) {
  expect_read(read_at(2, 3, 6, true), {0, 1, 0.25F, 0.75F});
}

TEST(Resampling, StaysInsideAtTheEdges) {
  const Read read = read_at(0, 3, 6, true);
  EXPECT_EQ(read.first, 0);
  EXPECT_EQ(read.second, 0);
  EXPECT_FLOAT_EQ(read.of_first + read.of_second, 1);
}

TEST(Resampling, TakesTheLaterOfTwoThatAreEquallyNear) {
  expect_read(read_at(0, 4, 2, false), {1, 0, 1, 0});
}

TEST(Resampling, OfASlabReadsNothingOutside) {
  expect_read(read_of_slab(5, 2, 3), {2, 0, 1, 0});
  expect_read(read_of_slab(6, 2, 3), {0, 0, 0, 0});
  expect_read(read_of_slab(-1, 2, 3), {0, 0, 0, 0});
}

}  // namespace resampling_test
}  // namespace oracle
