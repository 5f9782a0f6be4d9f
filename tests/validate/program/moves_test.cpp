#include "validate/program/moves.h"

#include <gtest/gtest.h>

namespace oracle {
namespace moves_test {

constexpr std::array kBoth = {0, 1};

/// Half of the channels or of the rows of a 4-channel, 6-row tensor.
Region channels(int rank) {
  Region region = whole_region({1, 4, 1, 6, 1});
  region.along[1] = {{2 * rank, 2 * rank + 2}};
  return region;
}
Region rows(int rank) {
  Region region = whole_region({1, 4, 1, 6, 1});
  region.along[3] = {{3 * rank, 3 * rank + 3}};
  return region;
}

TEST(Moves, AllToAllGivesEachMemberItsPart) {
  const Move move =
      collective_move({Collective::all_to_all, 1, 12}, kBoth, 1, channels(1), channels, rows);
  EXPECT_EQ(move.part, 6);
  ASSERT_EQ(move.give.size(), 2U);
  EXPECT_EQ(move.give[0].boxes, (std::vector<Box>{{{0, 0, 0, 0, 0}, {1, 2, 1, 3, 1}}}));
  EXPECT_EQ(move.take[0].boxes, (std::vector<Box>{{{0, 0, 0, 0, 0}, {1, 2, 1, 3, 1}}}));
  EXPECT_EQ(move.take[1].boxes, (std::vector<Box>{{{0, 2, 0, 0, 0}, {1, 2, 1, 3, 1}}}));
}

TEST(Moves, UnevenPartsArePaddedToTheLargest) {
  const RegionOf uneven = [](int rank) {
    Region region = whole_region({1, 1, 1, 7, 1});
    region.along[3] = rank == 0 ? Intervals{{0, 3}} : Intervals{{3, 7}};
    return region;
  };
  const RegionOf all = [](int) { return whole_region({1, 1, 1, 7, 1}); };
  const Move move =
      collective_move({Collective::all_gather, 1, 7}, kBoth, 0, uneven(0), uneven, all);
  EXPECT_EQ(move.part, 4);
  EXPECT_EQ(move.give[0].elements, 3);
  EXPECT_EQ(move.take[1].elements, 4);
}

TEST(Moves, MessagesCarryOnlyWhatIsLacked) {
  const RegionOf with_halo = [](int rank) {
    Region region = whole_region({1, 4, 1, 6, 1});
    region.along[3] = rank == 0 ? Intervals{{0, 4}} : Intervals{{3, 6}};
    return region;
  };
  const Move lower = message_move(Collective::halo_exchange, kBoth, 0, rows(0), rows, with_halo);
  EXPECT_TRUE(lower.give.empty());
  ASSERT_EQ(lower.take.size(), 1U);
  EXPECT_EQ(lower.take[0].boxes, (std::vector<Box>{{{0, 0, 0, 3, 0}, {1, 4, 1, 1, 1}}}));
  EXPECT_EQ(lower.keep_to, (std::vector<Box>{{{0, 0, 0, 0, 0}, {1, 4, 1, 3, 1}}}));
  const Move back = returning_move(kBoth, 0, with_halo, rows);
  EXPECT_TRUE(back.accumulate);
  EXPECT_FALSE(back.clear) << "all that it owns it has computed";
  ASSERT_EQ(back.give.size(), 1U);
  EXPECT_EQ(back.give[0].elements, 4);
}

TEST(Moves, WhatNobodyHasIsZero) {
  const auto fewer = [](int rank) {
    Region region = rows(rank);
    region.along[3] = {{rank == 0 ? 0 : 4, rank == 0 ? 2 : 6}};
    return region;
  };
  EXPECT_TRUE(returning_move(kBoth, 0, fewer, rows).clear);
  Region more = rows(0);
  more.along[3] = {{0, 5}};
  EXPECT_TRUE(local_move(rows(0), more).clear);
  EXPECT_FALSE(local_move(more, rows(0)).clear);
}

/// What a rank gives to the next one need not be as large as what it gets.
TEST(Moves, OfARingEachMemberGivesToTheNext) {
  constexpr std::array kRing = {0, 2, 4};
  EXPECT_EQ(rank_before(kRing, 0), 4);
  EXPECT_EQ(rank_before(kRing, 4), 2);
  Region shorter = rows(0);
  shorter.along[3] = {{1, 3}};
  const Move move = passing_move(kRing, 4, rows(0), shorter);
  EXPECT_EQ(move.axes, 0U);
  ASSERT_EQ(move.give.size(), 1U);
  EXPECT_EQ(move.give[0].rank, 0);
  EXPECT_EQ(move.give[0].elements, 12);
  ASSERT_EQ(move.take.size(), 1U);
  EXPECT_EQ(move.take[0].rank, 2);
  EXPECT_EQ(move.take[0].elements, 8);
}

}  // namespace moves_test
}  // namespace oracle
