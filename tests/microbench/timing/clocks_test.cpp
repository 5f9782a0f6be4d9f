#include "microbench/timing/clocks.h"

#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace oracle {
namespace clocks_test {

TEST(Clocks, WhatSleepsTakesTimeOnTheWallAlone) {
  const double wall = now(Clock::wall), processor = now(Clock::processor);
  usleep(20'000);
  const double slept = now(Clock::wall) - wall;
  EXPECT_GE(slept, 0.02);
  EXPECT_LT(now(Clock::processor) - processor, slept);
}

TEST(Clocks, HaveNames) {
  EXPECT_EQ(std::string(name_of(Clock::processor)), "processor");
  EXPECT_EQ(std::string(name_of(Clock::wall)), "wall");
}

}  // namespace clocks_test
}  // namespace oracle
