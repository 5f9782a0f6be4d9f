#include "validate/bench/times.h"

#include <gtest/gtest.h>

namespace oracle {
namespace times_test {

TEST(Times, AreThoseAtTheTypicalSpeed) {
  Times times;
  times.at_speed(8);
  times.add("slow", 0.1);
  times.at_speed(12);
  times.add("fast", 0.05);
  times.at_speed(10);
  times.add_work("both", times.work(0.08) + times.work(0.06));
  EXPECT_DOUBLE_EQ(times.middle("slow"), 0.08);
  EXPECT_DOUBLE_EQ(times.middle("fast"), 0.06);
  EXPECT_DOUBLE_EQ(times.middle("both"), 0.14);
  EXPECT_EQ(times.range(), (std::pair{0.8, 1.2}));
}

TEST(Times, TakeTheMedianOfWhatWasTimedAgain) {
  Times times;
  times.at_speed(1);
  for (const double seconds : {3.0, 1.0, 2.0}) times.add("step", seconds);
  EXPECT_EQ(times.middle("step"), 2);
  EXPECT_FALSE(times.has("never"));
  EXPECT_EQ(times.middle("never"), 0);
}

}  // namespace times_test
}  // namespace oracle
