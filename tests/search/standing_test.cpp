#include "oracle/search/standing.h"

#include <gtest/gtest.h>

namespace oracle {
namespace standing_test {

Standing standing(double time, double memory) { return {Seconds{time}, 1 / time, Bytes{memory}}; }

TEST(Standing, IsBetterByTheObjective) {
  const Standing fast = standing(1, 9), small = standing(2, 3), smaller_at_once = standing(1, 8);
  EXPECT_TRUE(better(fast, small, Objective::time));
  EXPECT_TRUE(better(fast, small, Objective::cost));
  EXPECT_TRUE(better(fast, small, Objective::throughput));
  EXPECT_TRUE(better(small, fast, Objective::memory));
  EXPECT_TRUE(better(smaller_at_once, fast, Objective::time));
  EXPECT_FALSE(better(smaller_at_once, fast, Objective::throughput));
  EXPECT_FALSE(better(fast, fast, Objective::time));
}

TEST(Bar, IsTheLastOfThoseToKeep) {
  Bar bar(2, Objective::time);
  EXPECT_FALSE(bar.get());
  bar.raise(standing(5, 1));
  EXPECT_FALSE(bar.get());
  bar.raise(standing(7, 1));
  EXPECT_EQ(bar.get()->time.value, 7);
  bar.raise(standing(6, 1));
  EXPECT_EQ(bar.get()->time.value, 6);
  bar.raise(standing(9, 1));
  EXPECT_EQ(bar.get()->time.value, 6);
  bar.raise(standing(1, 1));
  EXPECT_EQ(bar.get()->time.value, 5);
}

TEST(Bar, WhereAllAreKeptIsNone) {
  Bar bar(0, Objective::time);
  bar.raise(standing(1, 1));
  EXPECT_FALSE(bar.get());
}

}  // namespace standing_test
}  // namespace oracle
