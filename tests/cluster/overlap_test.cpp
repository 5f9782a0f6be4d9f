#include "oracle/cluster/overlap.h"

#include <gtest/gtest.h>

namespace oracle {
namespace {

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

TEST(Overlap, WorkedNumberOfRanksThatComputeAlone) {
  const Overlap two{0.5, 0.5};
  EXPECT_DOUBLE_EQ(two.demand(), 0.5);
  const Overlap one = two.of_one(2);
  EXPECT_DOUBLE_EQ(one.computing, 1);
  EXPECT_DOUBLE_EQ(one.exchange, 0) << "at its own pace";
  const Overlap half = two.with_alone(0.5, 2);
  EXPECT_DOUBLE_EQ(half.computing, 0.75);
  EXPECT_NEAR(half.exchange, 0.2, 1e-12) << "two thirds of its pace and all of it";
  EXPECT_EQ(two.with_alone(0, 2), two);
}

TEST(Overlap, ExchangesGetNoMoreThanAnEvenPart) {
  const Overlap one = Overlap{3, 3}.of_one(2);
  EXPECT_NEAR(one.computing, 2, 1e-12) << "two threads beside one";
  EXPECT_NEAR(one.exchange, 3.5, 1e-12);
}

TEST(Overlap, WhatCostsNothingCostsNothingAlone) {
  EXPECT_EQ(Overlap{}.of_one(2), Overlap{});
  EXPECT_EQ((Overlap{0, 0.5}.with_alone(0.5, 2).computing), 0);
}

}  // namespace
}  // namespace oracle
