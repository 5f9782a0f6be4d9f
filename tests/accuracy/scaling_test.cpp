#include "oracle/accuracy/scaling.h"

#include <gtest/gtest.h>

namespace oracle {
namespace scaling_test {

TEST(Scaling, WorkedNumber) {
  const std::vector<ScaledRun> runs = {{"net", 8, Seconds{0.132}, Seconds{0.125}},
                                       {"net", 1, Seconds{0.110}, Seconds{0.100}}};
  const auto found = scaling_of(runs);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].fewest, 1);
  EXPECT_EQ(found[0].most, 8);
  EXPECT_NEAR(found[0].measured, 0.80, 1e-12);
  EXPECT_NEAR(found[0].error(), 0.0333, 1e-4);
}

TEST(Scaling, RunsOfAsManyRanksCountOnceAndThoseBetweenNotAtAll) {
  const std::vector<ScaledRun> runs = {{"net", 1, Seconds{1}, Seconds{1}},
                                       {"net", 2, Seconds{9}, Seconds{9}},
                                       {"net", 4, Seconds{1}, Seconds{1.0}},
                                       {"net", 4, Seconds{1}, Seconds{2.0}},
                                       {"net", 4, Seconds{1}, Seconds{4.0}}};
  const auto found = scaling_of(runs);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].measured, 0.5) << "the median of 1, 2 and 4 s";
  EXPECT_DOUBLE_EQ(found[0].predicted, 1);
}

TEST(Scaling, SeriesStayApartAndOneOfOneSizeSaysNothing) {
  const std::vector<ScaledRun> runs = {{"b", 1, Seconds{1}, Seconds{1}},
                                       {"a", 1, Seconds{2}, Seconds{2}},
                                       {"alone", 4, Seconds{1}, Seconds{1}},
                                       {"a", 2, Seconds{4}, Seconds{2}},
                                       {"b", 2, Seconds{1}, Seconds{4}}};
  const auto found = scaling_of(runs);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].series, "b") << "as they come";
  EXPECT_DOUBLE_EQ(found[0].measured, 0.25);
  EXPECT_DOUBLE_EQ(found[1].predicted, 0.5);
}

TEST(Scaling, NothingOfNothing) { EXPECT_TRUE(scaling_of({}).empty()); }

}  // namespace scaling_test
}  // namespace oracle
