#include "oracle/cli/request.h"

#include <gtest/gtest.h>

namespace oracle::cli {
namespace cli_request_test {

using Counts = std::vector<std::int64_t>;

TEST(Request, ARangeOfCountsDoubles) {
  EXPECT_EQ(parse_counts("1..1024"), (Counts{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}));
  EXPECT_EQ(parse_counts("6..50"), (Counts{6, 12, 24, 48}));
  EXPECT_EQ(parse_counts("64"), Counts{64});
  EXPECT_EQ(parse_counts("3..3"), Counts{3});
}

TEST(Request, AListOfCountsIsSortedAndEachOnce) {
  EXPECT_EQ(parse_counts("6,1,2,1..4"), (Counts{1, 2, 4, 6}));
}

TEST(Request, CountsThatAreNoneAreRefused) {
  for (const char* text : {"", ",", "1,", "..4", "1..", "4..1", "0..4", "-1", "1..nan", "1...4"}) {
    EXPECT_THROW(parse_counts(text), QuantityError) << text;
  }
  std::string many = "1";
  for (int i = 2; i < 80; ++i) many += "," + std::to_string(i);
  EXPECT_THROW(parse_counts(many), QuantityError);
}

TEST(Request, ADecimalNumberIsAboveZero) {
  constexpr std::array<std::string_view, 1> kWords = {"MODEL"};
  constexpr std::array<Option, 1> kOptions = {{{"rate", "R", "a rate"}}};
  static constexpr std::array<OptionGroup, 1> kGroups = {{{"options", {}}}};
  std::array<OptionGroup, 1> groups = kGroups;
  groups[0].options = kOptions;
  const Command command{"", kWords, "", {}, groups, nullptr};
  const auto read = [&](const char* text, ProblemList& problems) {
    const std::vector<const char*> words = {"net", "--rate", text};
    return read_positive(Arguments(command, words), "rate", "0.01", problems);
  };
  ProblemList none;
  EXPECT_EQ(read("0.5", none), 0.5);
  EXPECT_EQ(read("1e-3", none), 1e-3);
  EXPECT_NO_THROW(none.raise());
  for (const char* text : {"0", "-1", "nan", "inf", "1e999", "x", "1 ", "0.5x", ""}) {
    ProblemList problems;
    EXPECT_FALSE(read(text, problems)) << text;
    EXPECT_THROW(problems.raise(), InputError) << text;
  }
}

TEST(Request, GpusFillTheAxisWithoutADegree) {
  EXPECT_EQ(to_text(complete(parse_strategy("data,filter:4"), 16)), "data:4,filter:4");
  EXPECT_EQ(to_text(complete(parse_strategy("data:2"), {})), "data:2");
  EXPECT_THROW(complete(parse_strategy("data,filter:4"), {}), InputError);
  EXPECT_THROW(complete(parse_strategy("data:2"), 4), InputError);
}

class Batches : public testing::Test {
 protected:
  Graph graph_;
  Cluster cluster_;
  report::Subject subject_{graph_, cluster_, {}};
};

TEST_F(Batches, ADefaultIsNoted) {
  EXPECT_EQ(BatchOption{}.on(64, subject_), 2048);
  EXPECT_EQ(subject_.assumptions,
            std::vector<std::string>{"the batch: 32 samples per GPU, as none was given"});
}

TEST_F(Batches, WhatIsGivenIsNoAssumption) {
  EXPECT_EQ((BatchOption{512, {}}.on(64, subject_)), 512);
  EXPECT_EQ((BatchOption{{}, 8}.on(64, subject_)), 512);
  EXPECT_TRUE(subject_.assumptions.empty());
}

TEST_F(Batches, AnAbsurdProductIsRefused) {
  EXPECT_THROW((BatchOption{{}, kMostBatch}.on(2, subject_)), InputError);
  EXPECT_THROW(BatchOption{}.on(kMostBatch, subject_), InputError);
}

TEST(Request, AStrategyIsCheckedAgainstTheAlgorithms) {
  ProblemList problems;
  EXPECT_TRUE(read_strategy("strategy", "data:4; exchange=ring", problems));
  EXPECT_FALSE(read_strategy("with", "serial; exchange=rng", problems));
  try {
    problems.raise();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--with: \"rng\" is not an exchange of gradients; did you mean \"ring\"?");
  }
}

}  // namespace cli_request_test
}  // namespace oracle::cli
