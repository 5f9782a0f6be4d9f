#include "microbench/kernels/cpu/position_rows.h"

#include <gtest/gtest.h>

namespace oracle {
namespace position_rows_test {

const StorageLayout kUneven{{1, 3, 1, 1, 2}, 2};  // rows (c0 c1 | c0 c1), (c2 0 | c2 0)

TEST(PositionRows, WorkedExample) {
  const StorageLayout one{{1, 3, 1, 1, 1}, 2};
  const float values[] = {5, 7, 9, 0};
  RowSums sums(2);
  for (std::int64_t block = 0; block < 2; ++block)
    add_values(values + row_offset(one, 0, block), sums);
  EXPECT_EQ(fold_lanes(one, sums), std::vector<double>{21});
}

TEST(PositionRows, SpreadAndFoldAreOfTheSameAxis) {
  const float positions[] = {1, 10}, channels[] = {2, 3, 4};
  Row row;
  spread_positions(kUneven, positions, row);
  EXPECT_EQ(row, (Row{1, 1, 10, 10}));
  EXPECT_EQ(fold_lanes(kUneven, RowSums(row.begin(), row.end())), (std::vector<double>{2, 20}));
  EXPECT_EQ(fold_positions(kUneven, RowSums(row.begin(), row.end())),
            (std::vector<double>{11, 11}));
  spread_channels(kUneven, 0, channels, row);
  EXPECT_EQ(row, (Row{2, 3, 2, 3}));
}

TEST(PositionRows, WhatFillsUpABlockStaysZero) {
  const float channels[] = {2, 3, 4};
  Row row;
  spread_channels(kUneven, 1, channels, row);
  EXPECT_EQ(row, (Row{4, 0, 4, 0}));
  row = {1, 2, 3, 4};
  clear_filling(kUneven, 1, row.data());
  EXPECT_EQ(row, (Row{1, 0, 3, 0}));
  clear_filling(kUneven, 0, row.data());
  EXPECT_EQ(row, (Row{1, 0, 3, 0}));
}

TEST(PositionRows, ChannelsOfOnePositionAreOneRow) {
  EXPECT_EQ(row_length(in_rows(StorageLayout{{2, 5, 1, 1, 1}, 1})), 5);
  EXPECT_EQ(row_length(in_rows(StorageLayout{{2, 5, 1, 1, 3}, 1})), 3);
}

}  // namespace position_rows_test
}  // namespace oracle
