#include "oracle/search/alike.h"

#include <gtest/gtest.h>

namespace oracle {
namespace alike_test {

Candidate candidate(const char* strategy, double seconds, double bytes = 1) {
  Candidate made;
  made.strategy = parse_strategy(strategy);
  made.step = {Seconds{seconds}, Source::assumed, 0.1};
  made.memory = Bytes{bytes};
  return made;
}

TEST(Alike, EqualNeighboursAreOneRow) {
  const std::vector<Candidate> merged =
      merge_equal({candidate("data:2,filter:2", 1), candidate("filter:2,data:2", 1),
                   candidate("data:4", 1, 2), candidate("filter:4", 2)});
  ASSERT_EQ(merged.size(), 3U);
  EXPECT_EQ(to_text(merged[0].strategy), "data:2,filter:2");
  ASSERT_EQ(merged[0].also.size(), 1U);
  EXPECT_EQ(to_text(merged[0].also[0]), "filter:2,data:2");
  EXPECT_TRUE(merged[1].also.empty()) << "another memory";
}

TEST(Alike, EachFigureTellsCandidatesApart) {
  const Candidate first = candidate("data:4", 1);
  Candidate other = first;
  EXPECT_EQ(merge_equal({first, other}).size(), 1U);
  other.step.uncertainty = 0.2;
  EXPECT_EQ(merge_equal({first, other}).size(), 2U);
  other = first;
  other.exposed = Seconds{0.1};
  EXPECT_EQ(merge_equal({first, other}).size(), 2U);
  other = first;
  other.bottleneck = Bottleneck::memory_bandwidth;
  EXPECT_EQ(merge_equal({first, other}).size(), 2U);
}

TEST(Alike, TheSimplestOfThoseAsGoodAsTheBest) {
  const std::vector<Candidate> candidates = {
      candidate("data:2,filter:2,width:2", 0.100), candidate("data:8; bucket=4 MiB", 0.1005),
      candidate("data:8", 0.102), candidate("filter:8", 0.1029), candidate("serial", 0.104)};
  const Recommendation found = recommend(candidates, Objective::time);
  EXPECT_EQ(found.index, 2U);
  EXPECT_EQ(found.others, 3U);
}

TEST(Alike, MemoryIsComparedWhereItIsTheObjective) {
  const std::vector<Candidate> candidates = {candidate("data:2,filter:2", 5, 100),
                                             candidate("data:4", 1, 102),
                                             candidate("serial", 1, 104)};
  EXPECT_EQ(recommend(candidates, Objective::memory).index, 1U);
  EXPECT_EQ(recommend(candidates, Objective::memory).others, 1U);
  EXPECT_EQ(recommend(candidates, Objective::time).others, 2U);
}

TEST(Alike, TheBestAloneIsRecommended) {
  const std::vector<Candidate> one = {candidate("data:2,filter:2", 1), candidate("data:4", 2)};
  EXPECT_EQ(recommend(one, Objective::time).index, 0U);
  EXPECT_EQ(recommend(one, Objective::time).others, 0U);
}

}  // namespace alike_test
}  // namespace oracle
