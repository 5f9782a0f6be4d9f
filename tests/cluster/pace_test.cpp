#include "oracle/cluster/pace.h"

#include <array>
#include <gtest/gtest.h>

namespace oracle {
namespace pace_test {

TEST(Pace, WorkedNumber) {
  const std::array<double, 2> both = {1.2, 1.2};
  EXPECT_NEAR(pace_of(std::span(both).first(1)).factor, 1.164, 0.0005);
  EXPECT_NEAR(pace_of(both).factor, 1.180, 0.0005);
  EXPECT_NEAR(pace_of(std::span(both).first(1)).unknown(), 0.75, 0.001);
}

TEST(Pace, WithoutJobsNothingIsKnown) {
  EXPECT_EQ(Pace{}.unknown(), 1);
  EXPECT_EQ(pace_of({}).factor, 1);
}

TEST(Pace, EachJobSaysMoreAndTheirOwnPartStays) {
  double before = 1;
  for (std::size_t jobs = 1; jobs < 100; ++jobs) {
    const double left = Pace{1, jobs}.unknown();
    EXPECT_LT(left, before);
    EXPECT_GT(left, 0.68);
    before = left;
  }
}

}  // namespace pace_test
}  // namespace oracle
