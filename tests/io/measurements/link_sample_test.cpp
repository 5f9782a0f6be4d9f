#include "oracle/io/measurements/link_sample.h"

#include <gtest/gtest.h>

namespace oracle {
namespace link_sample_test {

TEST(LinkSample, WorkedNumber) {
  const LinkRounds rounds = rounds_of(LinkOperation::all_reduce, 4, Bytes{8e6});
  EXPECT_DOUBLE_EQ(rounds.rounds, 6);
  EXPECT_DOUBLE_EQ(rounds.message.value, 2e6);
}

TEST(LinkSample, RoundsOfEachOperation) {
  EXPECT_DOUBLE_EQ(rounds_of(LinkOperation::message, 8, Bytes{100}).rounds, 1);
  EXPECT_DOUBLE_EQ(rounds_of(LinkOperation::stream, 2, Bytes{100}).message.value, 100);
  for (const LinkOperation operation :
       {LinkOperation::reduce_scatter, LinkOperation::all_gather, LinkOperation::all_to_all}) {
    EXPECT_DOUBLE_EQ(rounds_of(operation, 5, Bytes{100}).rounds, 4);
    EXPECT_DOUBLE_EQ(rounds_of(operation, 5, Bytes{100}).message.value, 20);
  }
}

TEST(LinkSample, WhatNoLinkCanHaveIsPastBelief) {
  EXPECT_TRUE(believable(Seconds{1e-6}));
  EXPECT_FALSE(believable(Seconds{0}));
  EXPECT_FALSE(believable(Seconds{1e-300}));
  EXPECT_FALSE(believable(Seconds{1e9}));
  EXPECT_FALSE(believable(Bytes{0}));
  EXPECT_FALSE(believable(Bytes{9e18}));
}

TEST(LinkSample, NamesAndBack) {
  for (std::size_t i = 0; i < kLinkOperationCount; ++i) {
    const auto operation = static_cast<LinkOperation>(i);
    EXPECT_EQ(link_operation_named(name_of(operation)), operation);
  }
  EXPECT_FALSE(link_operation_named("broadcast"));
}

}  // namespace link_sample_test
}  // namespace oracle
