#include "oracle/calibrate/stretch_fit.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace oracle {
namespace stretch_fit_test {

/// Milliseconds of computing, so many turns of it, microseconds of a sum that takes 10 by itself.
Stretch stretch_of(double computing, double turns, double waited) {
  Stretch one;
  one.computing = Seconds{1e-3 * computing};
  one.took = one.computing * turns;
  one.waited = Seconds{1e-6 * waited};
  one.transfer_alone = Seconds{10e-6};
  return one;
}

/// Of so many ranks on a core.
std::vector<Stretch> worked_turns(double ranks) {
  std::vector<Stretch> measured;
  for (const auto& [computing, seen] : {std::pair{1.0, 0.52}, {4.0, 0.7}, {16.0, 0.88}}) {
    measured.push_back(stretch_of(computing, 1 + (ranks - 1) * seen, 10));
  }
  return measured;
}

TEST(StretchFit, WorkedNumberOfTurns) {
  for (const double ranks : {2.0, 3.0}) {
    const Turns turns = fit_turns(worked_turns(ranks), ranks).at(0);
    EXPECT_DOUBLE_EQ(turns.least, 0.4) << ranks;
    EXPECT_NEAR(turns.slice.value, 4e-3, 0.2e-3) << ranks;
  }
}

TEST(StretchFit, AWildStretchMovesNothing) {
  std::vector<Stretch> measured;
  for (const double computing : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
    measured.push_back(stretch_of(computing, 1 + computing / (computing + 2), 10));
  }
  measured.push_back(stretch_of(1, 9, 10));
  const Turns turns = fit_turns(measured, 2).at(0);
  EXPECT_EQ(turns.least, 0);
  EXPECT_NEAR(turns.slice.value, 2e-3, 0.1e-3);
}

TEST(StretchFit, WorkedNumberOfARefill) {
  const CacheRefill copied{"", 2, Seconds{8e-6}, Seconds{18e-6}, Bytes{0.5e6}, Bytes{2e6}};
  CacheRefill wild = copied, near = copied;
  wild.after = Seconds{1};
  near.after = near.near;
  const std::vector<CacheRefill> measured = {wild, copied, near};
  const Refill refill = fit_refill(measured, 2);
  EXPECT_DOUBLE_EQ(refill.per_byte, 0.02e-9);
  EXPECT_EQ(refill.own, Bytes{2e6});
  EXPECT_EQ(fit_refill(measured, 1), Refill{}) << "a core each";
  EXPECT_EQ(fit_refill({}, 2), Refill{});
}

TEST(StretchFit, RanksWithACoreEachTakeNoTurns) {
  EXPECT_TRUE(fit_turns(std::vector{stretch_of(1, 1.5, 10)}, 1).empty());
  EXPECT_TRUE(fit_turns({}, 2).empty());
}

TEST(StretchFit, GroupsOfOtherSizesMeetOtherwise) {
  std::vector<Stretch> measured = worked_turns(2);
  for (Stretch& one : measured) one.ranks = 2;
  Stretch all = stretch_of(1, 1.2, 10);
  all.ranks = 4;
  measured.insert(measured.begin(), all);
  const std::vector<Turns> turns = fit_turns(measured, 2);
  ASSERT_EQ(turns.size(), 2U);
  EXPECT_EQ(turns[0].ranks, 2);
  EXPECT_DOUBLE_EQ(turns[0].least, 0.4);
  EXPECT_EQ(turns[1].ranks, 4);
  EXPECT_NEAR(turns[1].seen(Seconds{1e-3}), 0.2, 0.01);
}

TEST(StretchFit, WorkedNumberOfLateness) {
  const std::vector<Stretch> measured = {stretch_of(1, 1, 40), stretch_of(2, 1, 50)};
  const Lateness lateness = fit_lateness(measured);
  EXPECT_NEAR(lateness.each.value, 20e-6, 1e-12);
  EXPECT_NEAR(lateness.share, 0.01, 1e-9);
}

TEST(StretchFit, NoMessageComesSoonerThanByItself) {
  const std::vector<Stretch> measured = {stretch_of(1, 1, 9), stretch_of(2, 1, 8)};
  EXPECT_EQ(fit_lateness(measured), Lateness{});
  EXPECT_EQ(fit_lateness({}), Lateness{});
}

/// A line through the first two falls, one through the others rises.
TEST(StretchFit, LatenessNeverFallsWithTheStretch) {
  const std::vector<Stretch> measured = {stretch_of(1, 1, 60), stretch_of(2, 1, 40),
                                         stretch_of(2, 1, 42), stretch_of(4, 1, 44)};
  const Lateness lateness = fit_lateness(measured);
  EXPECT_GE(lateness.share, 0);
  EXPECT_GE(lateness.each.value, 0);
  EXPECT_NEAR(lateness.after(Seconds{2e-3}).value, 31e-6, 2e-6);
}

TEST(StretchFit, OfRanksThatShareCoresNobodyIsLate) {
  const std::vector<Stretch> measured = {stretch_of(1, 1.5, 400), stretch_of(2, 1.6, 900)};
  EXPECT_EQ(fit_lateness(measured), Lateness{});
}

}  // namespace stretch_fit_test
}  // namespace oracle
