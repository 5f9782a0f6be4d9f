#include "oracle/base/statistics.h"

#include <gtest/gtest.h>

namespace oracle {
namespace statistics_test {

TEST(Statistics, WorkedNumbers) {
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.9), 3.7);
}

TEST(Statistics, EndsAreTheLeastAndTheMost) {
  EXPECT_EQ(quantile({3, -1, 2}, 0), -1);
  EXPECT_EQ(quantile({3, -1, 2}, 1), 3);
  EXPECT_EQ(quantile({7}, 0.3), 7);
}

TEST(Statistics, OfNoneItIsNothing) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(quantile({}, 0.9), 0);
}

TEST(Statistics, TimesHaveAMiddleToo) {
  EXPECT_EQ(median_of(std::vector<Seconds>{Seconds{3}, Seconds{1}, Seconds{2}}).value, 2);
}

TEST(Statistics, TheMiddleOfAnOddNumberIsOneOfThem) { EXPECT_EQ(median({5, 9, 1}), 5); }

}  // namespace statistics_test
}  // namespace oracle
