#include "oracle/timeline/steady.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace oracle {
namespace steady_test {

/// a advances by 2 a round and b by 3, from 10 and 0; c is the later of both.
struct Clocks {
  std::array<double, 3> at = {10, 0, 10};
  double margin = 0;

  void run() {
    at[0] += 2;
    at[1] += 3;
    margin = at[0] - at[1];
    at[2] = std::max(at[0], at[1]);
  }
};

TEST(SteadyState, SkipsUpToWhereAChoiceTurns) {
  SteadyState steady(1);
  Clocks clocks;
  for (int round = 0; round < 3; ++round) {
    clocks.run();
    steady.note(clocks.at, {&clocks.margin, 1});
  }
  // a is later by 7, so by 1 after six more rounds.
  EXPECT_EQ(steady.skip(1000, clocks.at), 6);
  EXPECT_EQ(clocks.at[0], 10 + 2 * 9);
  EXPECT_EQ(clocks.at[1], 3 * 9);
  EXPECT_EQ(clocks.at[2], 28);
  // What was noted before concerns other rounds.
  EXPECT_EQ(steady.skip(1000, clocks.at), 0);
}

TEST(SteadyState, SkipsAllOnceNothingTurns) {
  SteadyState steady(1);
  Clocks clocks;
  clocks.at = {0, 10, 10};
  for (int round = 0; round < 3; ++round) {
    clocks.run();
    steady.note(clocks.at, {&clocks.margin, 1});
  }
  EXPECT_EQ(steady.skip(1000, clocks.at), 1000);
  EXPECT_EQ(clocks.at[2], 10 + 3 * 1003);
}

TEST(SteadyState, TakesRoundsOfWhichEveryOtherIsAlikeTogether) {
  SteadyState steady(2);
  std::array<double, 1> clock = {0};
  std::array<double, 1> margin = {0};
  const std::array<double, 5> advances = {1, 5, 1, 5, 1};
  for (const double advance : advances) {
    clock[0] += advance;
    margin[0] = advance - 3;
    steady.note(clock, margin);
  }
  EXPECT_EQ(steady.skip(7, clock), 6);
  EXPECT_EQ(clock[0], 13 + 18);
}

TEST(SteadyState, WaitsForTwoBlocksAlike) {
  SteadyState steady(1);
  std::array<double, 1> clock = {0};
  for (const double advance : {1.0, 2.0, 4.0, 7.0}) {
    clock[0] += advance;
    steady.note(clock, {});
    EXPECT_EQ(steady.skip(100, clock), 0);
  }
}

}  // namespace steady_test
}  // namespace oracle
