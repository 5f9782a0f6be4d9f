#include "validate/bench/beside.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace beside_test {

TEST(Beside, AnAnswerIsNamesAndSeconds) {
  const auto answer = parse_answer("default 1.5 channels_last 1.25");
  ASSERT_EQ(answer.size(), 2U);
  EXPECT_EQ(answer.at("default"), 1.5);
  EXPECT_EQ(answer.at("channels_last"), 1.25);
}

TEST(Beside, WhatIsNoAnswerIsRefused) {
  EXPECT_THROW(parse_answer(""), EnvironmentError);
  EXPECT_THROW(parse_answer("default"), EnvironmentError);
  EXPECT_THROW(parse_answer("default fast"), EnvironmentError);
  EXPECT_THROW(parse_answer("default -1"), EnvironmentError);
}

TEST(Beside, PipesThatAreNotThereAreAnError) {
  EXPECT_THROW(Beside("no-such-folder/pipes"), EnvironmentError);
}

}  // namespace beside_test
}  // namespace oracle
