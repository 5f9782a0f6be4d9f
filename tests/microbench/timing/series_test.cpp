#include "microbench/timing/series.h"

#include <cmath>
#include <gtest/gtest.h>

namespace oracle {
namespace series_test {

Series counting(int n) {
  Series series;
  for (int i = n; i >= 1; --i) series.add(i);
  return series;
}

TEST(Series, WorkedNumber) {
  EXPECT_DOUBLE_EQ(counting(9).median(), 5);
  EXPECT_DOUBLE_EQ(counting(9).error(), 0.4);
  EXPECT_DOUBLE_EQ(counting(9).mean(), 4);
}

TEST(Series, TheMeanHasTheTailAndNotWhatWasDisturbed) {
  Series series;
  EXPECT_EQ(series.mean(), 0);
  for (const double seconds : {1.0, 1.0, 1.0, 1.4}) series.add(seconds);
  EXPECT_DOUBLE_EQ(series.mean(), 1.1);
  series.add(10);
  EXPECT_DOUBLE_EQ(series.mean(), 1.1) << "ten times as long";
}

TEST(Series, QuantilesLieBetweenValues) {
  EXPECT_DOUBLE_EQ(counting(4).median(), 2.5);
  EXPECT_DOUBLE_EQ(counting(11).quantile(0.1), 2);
  EXPECT_DOUBLE_EQ(counting(11).quantile(1), 11);
  EXPECT_DOUBLE_EQ(Series().median(), 0);
}

TEST(Series, TooFewValuesHaveNoError) { EXPECT_TRUE(std::isinf(counting(2).error())); }

TEST(Series, AnOutlierDoesNotMoveTheMedian) {
  Series series;
  for (int i = 0; i < 20; ++i) series.add(i == 7 ? 100 : 1);
  EXPECT_DOUBLE_EQ(series.median(), 1);
  EXPECT_DOUBLE_EQ(series.error(), 0);
}

TEST(Series, IsDoneWhenAllIsEnough) {
  const StopRule rule{5, 10, 0.1, 1000};
  Series series;
  for (int i = 0; i < 4; ++i) series.add(3);
  EXPECT_FALSE(series.done(rule));  // values
  series.add(3);
  EXPECT_TRUE(series.done(rule));
  Series brief;
  for (int i = 0; i < 9; ++i) brief.add(1);
  EXPECT_FALSE(brief.done(rule));  // seconds
  Series wild = counting(9);
  EXPECT_FALSE(wild.done(rule));  // error
}

TEST(Series, AThousandValuesAreEnoughHoweverShort) {
  const StopRule rule{5, 10, 0.1, 1000};
  Series brief;
  for (int i = 0; i < 999; ++i) brief.add(1e-7);
  EXPECT_FALSE(brief.done(rule));
  brief.add(1e-7);
  EXPECT_TRUE(brief.precise(rule));
  Series wild;
  for (int i = 0; i < 1999; ++i) wild.add(i % 2 == 0 ? 1e-7 : 3e-7);
  wild.add(5e-7);
  EXPECT_TRUE(wild.done(rule));
  EXPECT_FALSE(wild.precise(rule));
}

TEST(Series, IsDoneWhenItsSecondsAreSpentAndSaysThatItIsNotPrecise) {
  const StopRule rule{5, 10, 0.1, 40};
  const Series wild = counting(9);
  EXPECT_TRUE(wild.done(rule));
  EXPECT_FALSE(wild.precise(rule));
}

}  // namespace series_test
}  // namespace oracle
