#include "microbench/timing/speed_guard.h"

#include <gtest/gtest.h>

namespace oracle {
namespace speed_guard_test {

TEST(SpeedGuard, BelowThreeQuartersOfTheTypicalIsSlow) {
  double rate = 100;
  SpeedGuard guard([&] { return rate; });
  EXPECT_TRUE(guard.at_speed());
  rate = 76;
  EXPECT_TRUE(guard.at_speed());
  rate = 74;
  EXPECT_FALSE(guard.at_speed());
  EXPECT_EQ(guard.slow_probes(), 1);
  EXPECT_DOUBLE_EQ(guard.lowest(), 0.74);
}

TEST(SpeedGuard, OneProbeThatWasInterruptedSaysNothing) {
  int probe = 0;
  SpeedGuard guard([&] { return ++probe == 4 ? 10.0 : 100.0; });
  EXPECT_TRUE(guard.at_speed());
  EXPECT_EQ(guard.slow_probes(), 0);
}

TEST(SpeedGuard, ABetterRateIsTypicalOnceItLasts) {
  double rate = 100;
  SpeedGuard guard([&] { return rate; });
  rate = 200;
  EXPECT_TRUE(guard.at_speed());
  rate = 140;
  EXPECT_TRUE(guard.at_speed());
  rate = 200;
  for (int i = 0; i < 100; ++i) guard.at_speed();
  rate = 140;
  EXPECT_FALSE(guard.at_speed());
}

TEST(SpeedGuard, TheTypicalRateIsTheMedianOfThoseSeen) {
  double rate = 100;
  SpeedGuard guard([&] { return rate; });
  for (const double seen : {80.0, 90.0, 80.0, 90.0, 80.0}) {
    rate = seen;
    guard.at_speed();
  }
  EXPECT_EQ(guard.typical(), 90);
}

TEST(SpeedGuard, ArithmeticHasARate) { EXPECT_GT(SpeedGuard::arithmetic_rate(), 1e7); }

}  // namespace speed_guard_test
}  // namespace oracle
