#include "oracle/search/per_layer/row_set.h"

#include <gtest/gtest.h>
#include <map>

namespace oracle::per_layer {
namespace row_set_test {

TEST(RowSet, NumbersRowsAsAMapDoes) {
  RowSet set;
  set.reset(3);
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::uint32_t state = 1;
  for (int i = 0; i < 5000; ++i) {
    state = state * 1664525U + 1013904223U;
    const std::vector<std::uint32_t> row = {state >> 29, state >> 16 & 15U, state >> 8 & 7U};
    const auto expected = known.emplace(row, static_cast<std::uint32_t>(known.size())).first;
    ASSERT_EQ(set.insert(row), expected->second);
  }
  ASSERT_EQ(set.size(), known.size());
  EXPECT_GT(set.size(), 500U);
  for (const auto& [row, number] : known) {
    const auto kept = set.row(number);
    EXPECT_EQ(std::vector<std::uint32_t>(kept.begin(), kept.end()), row);
  }
}

TEST(RowSet, OfNoNumbersHasOneRow) {
  RowSet set;
  set.reset(0);
  EXPECT_EQ(set.insert({}), 0U);
  EXPECT_EQ(set.insert({}), 0U);
  EXPECT_EQ(set.size(), 1U);
}

TEST(RowSet, ForgetsWhenItIsReset) {
  RowSet set;
  set.reset(1);
  set.insert({7});
  set.reset(1);
  EXPECT_EQ(set.size(), 0U);
  EXPECT_EQ(set.insert({9}), 0U);
}

}  // namespace row_set_test
}  // namespace oracle::per_layer
