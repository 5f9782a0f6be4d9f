#include "microbench/kernels/relative_positions.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace relative_positions_test {

RelativePositions of(Attributes attributes, std::int64_t positions) {
  attributes.set("heads", std::int64_t{2});
  const Extents tensor{1, 8, 1, 1, positions};
  const OneLayer one("attention", tensor, attributes, {tensor, tensor});
  return RelativePositions(one.layer());
}

TEST(RelativePositions, OfATextGrowFarther) {
  const RelativePositions both = of({{"relative", std::int64_t{32}}}, 200);
  EXPECT_EQ(both.row_of(10, 10), 0);
  EXPECT_EQ(both.row_of(10, 7), 3);
  EXPECT_EQ(both.row_of(10, 13), 19);
  EXPECT_EQ(both.row_of(30, 10), 10);
  EXPECT_EQ(both.row_of(190, 10), 15);
  EXPECT_EQ(both.row_of(10, 190), 31);
}

TEST(RelativePositions, OfACausalTextHaveAllRowsBefore) {
  const RelativePositions before = of({{"relative", std::int64_t{32}}, {"causal", true}}, 200);
  EXPECT_EQ(before.row_of(20, 5), 15);
  EXPECT_EQ(before.row_of(20, 4), 16);
  EXPECT_EQ(before.row_of(190, 0), 31);
}

TEST(RelativePositions, OfWindowsAreOffsets) {
  const RelativePositions windows =
      of({{"relative", std::int64_t{9}}, {"within", std::int64_t{4}}}, 8);
  EXPECT_EQ(windows.row_of(0, 3), 0);
  EXPECT_EQ(windows.row_of(0, 0), 4);
  EXPECT_EQ(windows.row_of(7, 4), 8);
  EXPECT_EQ(windows.row_of(5, 6), 2);
}

TEST(RelativePositions, AreRefusedWhereWindowsHaveOthers) {
  EXPECT_THROW(of({{"relative", std::int64_t{8}}, {"within", std::int64_t{4}}}, 8), InputError);
}

}  // namespace relative_positions_test
}  // namespace oracle
