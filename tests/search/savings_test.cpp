#include "oracle/search/savings.h"

#include <gtest/gtest.h>
#include <string>

#include "tests/properties/every_saving.h"

namespace oracle {
namespace savings_test {

SpaceOptions of_a_text() {
  SpaceOptions options;
  options.most_micro_batches = 256;
  options.recompute = {"full"};
  options.most_zero = 3;
  return options;
}

TEST(Savings, OfDataParallelRanksArePartsRecomputationAndShards) {
  const SavingSpace space = savings_of(parse_strategy("data:8"), 32, of_a_text());
  EXPECT_EQ(space.micro_batches, (std::vector<std::int64_t>{0, 2, 4}));
  EXPECT_EQ(savings_of(parse_strategy("data:8"), 96, of_a_text()).micro_batches,
            (std::vector<std::int64_t>{0, 2, 4, 6, 12}))
      << "down to micro-batches of one sample";
  EXPECT_EQ(savings_of(parse_strategy("data:8"), 8, of_a_text()).micro_batches,
            (std::vector<std::int64_t>{0}));
  EXPECT_EQ(space.recompute, (std::vector<std::string>{"", "full"}));
  EXPECT_EQ(space.zero, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(with_every_saving(parse_strategy("data:8"), 32, of_a_text()).size(), 24U);
}

TEST(Savings, OfAPipelineAreNoPartsBeyondItsOwnAndStateAloneInShards) {
  const SavingSpace space =
      savings_of(parse_strategy("data:4,pipeline:2; micro_batches=4"), 32, of_a_text());
  EXPECT_EQ(space.micro_batches, (std::vector<std::int64_t>{4}));
  EXPECT_EQ(space.zero, (std::vector<int>{0, 1}));
}

TEST(Savings, PositionsInPartsLeaveWeightsWhole) {
  for (const char* strategy : {"context:8", "ring:8", "ulysses:8"}) {
    EXPECT_EQ(savings_of(parse_strategy(strategy), 32, of_a_text()).zero,
              (std::vector<int>{0, 1, 2, 3}))
        << strategy;
  }
}

TEST(Savings, RanksThatHoldOtherWeightsShareNoState) {
  EXPECT_EQ(savings_of(parse_strategy("tensor:8"), 32, of_a_text()).zero, (std::vector<int>{0}));
}

TEST(Savings, WhatIsAskedForIsNotTried) {
  const Strategy asked = parse_strategy("data:8; micro_batches=2; zero=1; recompute=selective");
  EXPECT_EQ(savings_of(asked, 32, of_a_text()).zero, (std::vector<int>{1}));
  EXPECT_EQ(savings_of(asked, 32, of_a_text()).micro_batches, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(savings_of(asked, 32, of_a_text()).recompute, (std::vector<std::string>{"selective"}));
}

TEST(Savings, MorePartsAndMoreRecomputationCanOnlyTakeLonger) {
  const SavingSpace space = savings_of(parse_strategy("data:8"), 32, of_a_text());
  EXPECT_FALSE(space.is_enough({0, 0, 0}, {0, 0, 1}));
  EXPECT_FALSE(space.is_enough({0, 0, 2}, {0, 0, 0}));
  EXPECT_TRUE(space.is_enough({0, 0, 1}, {1, 0, 1}));
  EXPECT_FALSE(space.is_enough({1, 0, 1}, {0, 1, 1}));
}

TEST(Savings, LeastMemoryIsThatOfTheSaving) {
  SavingSpace space = savings_of(parse_strategy("data:8"), 32, of_a_text());
  EXPECT_EQ(space.least_memory({}).value, 0);
  Least least{Seconds{1}, {Bytes{100}, Bytes{80}, Bytes{70}, Bytes{60}}, Bytes{40}};
  space.least = {least, least};
  EXPECT_EQ(space.least_memory({0, 0, 0}).value, 100);
  EXPECT_EQ(space.least_memory({1, 0, 0}).value, 80);
  EXPECT_EQ(space.least_memory({2, 0, 3}).value, 30);
}

}  // namespace savings_test
}  // namespace oracle
