#include "microbench/kernels/stopwatch.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace oracle {
namespace stopwatch_test {

TEST(WallStopwatch, TimesWhatPassesBetweenTwoMarks) {
  WallStopwatch stopwatch;
  const Mark first = stopwatch.mark();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const Mark second = stopwatch.mark();
  const Mark third = stopwatch.mark();
  EXPECT_GE(stopwatch.seconds(first, second), 0.02);
  EXPECT_LT(stopwatch.seconds(second, third), stopwatch.seconds(first, second));
  EXPECT_DOUBLE_EQ(stopwatch.seconds(first, third),
                   stopwatch.seconds(first, second) + stopwatch.seconds(second, third));
}

TEST(WallStopwatch, CountsMarksAnewOnceTheyAreForgotten) {
  WallStopwatch stopwatch;
  const Mark before = stopwatch.mark();
  stopwatch.mark();
  stopwatch.reset();
  EXPECT_EQ(stopwatch.mark(), before);
}

TEST(WallStopwatch, TakesTheDeviceToBeAtItAllTheTime) {
  WallStopwatch stopwatch;
  const Mark begin = stopwatch.mark(), end = stopwatch.mark();
  EXPECT_EQ(stopwatch.seconds_on_device(begin, end), stopwatch.seconds(begin, end));
}

}  // namespace stopwatch_test
}  // namespace oracle
