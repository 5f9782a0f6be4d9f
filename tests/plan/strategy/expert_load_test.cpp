#include "oracle/plan/strategy/expert_load.h"

#include <cmath>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace expert_load_test {

double share(const char* text, std::int64_t experts, std::int64_t groups,
             std::int64_t per_token = 1) {
  return busiest_share(parse_expert_load(text), experts, groups, per_token);
}

// H(2) / H(8) = (1 + 1/2) / (761/280); with s = 2 (1 + 1/4) / (1 + 1/4 + 1/9 + 1/16).
TEST(ExpertLoad, OfZipfIsARatioOfHarmonicNumbers) {
  EXPECT_DOUBLE_EQ(share("zipf:1", 8, 4), 1.5 / (761.0 / 280));
  EXPECT_NEAR(share("zipf:1", 8, 4) * 4, 2.208, 5e-4);
  EXPECT_DOUBLE_EQ(share("zipf:2", 4, 2), 1.25 / (205.0 / 144));
  EXPECT_DOUBLE_EQ(share("zipf:0.5", 2, 2), 1 / (1 + std::sqrt(0.5)));
}

TEST(ExpertLoad, GivenIsThatOfTheBusiestNeighbours) {
  EXPECT_DOUBLE_EQ(share("4,2,1,1", 4, 4), 0.5);
  EXPECT_DOUBLE_EQ(share("1,1,2,4", 4, 2), 0.75);
  EXPECT_DOUBLE_EQ(share("1, 1, 0, 0.5", 4, 1), 1);
  EXPECT_THROW(share("4,2,1,1", 8, 2), InputError);
}

TEST(ExpertLoad, OfTheBusiestRankMayBeGiven) {
  EXPECT_DOUBLE_EQ(share("1.3", 64, 8), 1.3 / 8);
  EXPECT_DOUBLE_EQ(share("uniform", 64, 8), 1.0 / 8);
  EXPECT_DOUBLE_EQ(share("1.3", 64, 1), 1) << "one rank has all rows";
}

/// A token sends no expert two rows: of two for each token at most half go to one expert.
TEST(ExpertLoad, IsBoundedByTheTokens) {
  EXPECT_DOUBLE_EQ(share("zipf:10", 8, 8, 2), 0.5);
  EXPECT_DOUBLE_EQ(share("100", 8, 8, 4), 0.25);
  EXPECT_DOUBLE_EQ(share("1,0,0,0", 4, 4, 2), 0.5);
}

TEST(ExpertLoad, IsWrittenAsItIsRead) {
  for (const char* text : {"1.3", "zipf:1", "zipf:0.25", "4,2,1,1", "0.5,1"}) {
    const ExpertLoad load = parse_expert_load(text);
    EXPECT_FALSE(load.is_even()) << text;
    EXPECT_EQ(to_text(load), text);
    EXPECT_EQ(parse_expert_load(to_text(load)), load);
  }
  for (const char* text : {"uniform", "1", "zipf:0"}) {
    EXPECT_EQ(parse_expert_load(text), ExpertLoad{}) << text;
  }
  EXPECT_EQ(to_text(ExpertLoad{}), "");
}

TEST(ExpertLoad, RefusesWhatSaysNothing) {
  for (const char* text : {"", "even", "0.9", "nan", "inf", "-2", "1e3", "zipf:", "zipf:11",
                           "zipf:nan", "0,0", "1,,2", "1,-1", "1,x"}) {
    EXPECT_THROW(parse_expert_load(text), InputError) << text;
  }
}

}  // namespace expert_load_test
}  // namespace oracle
