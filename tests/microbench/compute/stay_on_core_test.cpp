#include "microbench/compute/stay_on_core.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace oracle {
namespace stay_on_core_test {

/// The cores that a thread may use once it stands for a rank.
cpu_set_t cores_of(int rank) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  std::thread([&] {
    stay_on_core_of(rank);
    sched_getaffinity(0, sizeof cores, &cores);
  }).join();
  return cores;
}

TEST(StayOnCore, EachRankHasOneAndTheyTakeTurnsWhereTheyAreFew) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(sched_getaffinity(getpid(), sizeof allowed, &allowed), 0);
  const int count = CPU_COUNT(&allowed);
  cpu_set_t first = cores_of(0), again = cores_of(count), last = cores_of(count - 1);
  EXPECT_EQ(CPU_COUNT(&first), 1);
  EXPECT_TRUE(CPU_EQUAL(&first, &again));
  EXPECT_EQ(CPU_EQUAL(&first, &last) != 0, count == 1);
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  EXPECT_EQ(CPU_COUNT(&own), count) << "other threads stay where they were";
}

}  // namespace stay_on_core_test
}  // namespace oracle
