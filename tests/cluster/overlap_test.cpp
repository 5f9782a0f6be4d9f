#include "oracle/cluster/overlap.h"

#include <gtest/gtest.h>

namespace oracle {
namespace overlap_test {

TEST(Overlap, WorkedNumber) {
  const Overlap core{1.0 / 3, 3};
  EXPECT_DOUBLE_EQ(core.pace(), 3);
  EXPECT_DOUBLE_EQ(core.lost_by_exchange(), 1);  // beside 1 s of computing, which takes 1.33 s
  EXPECT_DOUBLE_EQ(core.between_messages(), 1);  // they take turns
}

TEST(Overlap, AlikeBothLoseTheSame) {
  const Overlap half = Overlap::alike(0.5);
  EXPECT_DOUBLE_EQ(half.pace(), 1);
  EXPECT_DOUBLE_EQ(half.lost_by_exchange(), 0.5);
  EXPECT_DOUBLE_EQ(half.between_messages(), 0.5);
  EXPECT_TRUE(half.any());
  EXPECT_FALSE(Overlap{}.any());
}

TEST(Overlap, WorkedNumberOfRanksOnOneCore) {
  const Overlap two{0.5, 0.8};
  EXPECT_NEAR(two.demand(), 0.6, 1e-12);
  const Overlap all = two.beside(2, 2);
  EXPECT_DOUBLE_EQ(all.computing, 1);
  EXPECT_NEAR(all.exchange, 0.2, 1e-12);
  const Overlap one = two.beside(1, 2);
  EXPECT_NEAR(one.computing, 1.5, 1e-12);
  EXPECT_NEAR(one.exchange, 0, 1e-12) << "at its own pace";
  const Overlap half = two.on_shared_core(0.5, 2);
  EXPECT_NEAR(half.computing, 1.25, 1e-12);
  EXPECT_NEAR(half.exchange, 1 / (0.5 / 1.2 + 0.5) - 1, 1e-12);
  EXPECT_EQ(two.on_shared_core(0, 2), all);
}

TEST(Overlap, WhoWantsLittleGetsIt) {
  const Overlap all = Overlap{0.25, 0.5}.beside(2, 2);
  EXPECT_NEAR(all.computing, 3.0 / 7, 1e-12) << "0.3 of the core";
  EXPECT_NEAR(all.exchange, 0, 1e-12);
}

TEST(Overlap, ExchangesGetNoMoreThanAnEvenPart) {
  const Overlap one = Overlap{3, 3}.beside(1, 2);
  EXPECT_NEAR(one.computing, 2, 1e-12) << "two threads beside one";
  EXPECT_NEAR(one.exchange, 3.5, 1e-12);
}

TEST(Overlap, WhatCostsNothingCostsNothing) {
  EXPECT_EQ(Overlap{}.beside(1, 2), Overlap{});
  EXPECT_EQ((Overlap{0, 0.5}.on_shared_core(0.5, 2).computing), 0);
}

}  // namespace overlap_test
}  // namespace oracle
