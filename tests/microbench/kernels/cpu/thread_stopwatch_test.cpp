#include "microbench/kernels/cpu/thread_stopwatch.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace oracle {
namespace thread_stopwatch_test {

TEST(ThreadStopwatch, KnowsWhenTheThreadLeftTheProcessor) {
  using Clock = std::chrono::steady_clock;
  const std::unique_ptr<Stopwatch> stopwatch = thread_stopwatch();
  const Mark begin = stopwatch->mark();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const Mark middle = stopwatch->mark();
  const Clock::time_point until = Clock::now() + std::chrono::milliseconds(20);
  while (Clock::now() < until) continue;
  const Mark end = stopwatch->mark();
  EXPECT_GE(stopwatch->seconds(begin, middle), 0.02);
  EXPECT_LT(stopwatch->seconds_on_device(begin, middle), 0.01);
  EXPECT_GT(stopwatch->seconds_on_device(middle, end), stopwatch->seconds_on_device(begin, middle));
  stopwatch->reset();
  EXPECT_EQ(stopwatch->mark(), begin);
}

}  // namespace thread_stopwatch_test
}  // namespace oracle
