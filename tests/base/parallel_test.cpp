#include "oracle/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace oracle {
namespace parallel_test {

class Parallel : public testing::TestWithParam<unsigned> {};

TEST_P(Parallel, DoesEachIndexOnce) {
  for (const std::int64_t count : {0, 1, 15, 16, 17, 1000}) {
    std::vector<int> calls(static_cast<std::size_t>(count), 0);
    EXPECT_TRUE(parallel_for(count, GetParam(),
                             [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; }));
    EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), count) << count;
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ParallelDeathTest, AllIsDoneWhereTheMachineGivesNoThreads) {
  const auto without_stacks = [] {
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    constexpr std::int64_t kBeyond = 1 << 20;
    const auto bytes = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + kBeyond);
    const rlimit limit = {bytes, bytes};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    std::atomic<int> calls{0};
    const bool complete = parallel_for(1000, 8, [&](std::int64_t) { ++calls; });
    _exit(complete && calls == 1000 ? 0 : 1);
  };
  EXPECT_EXIT(without_stacks(), testing::ExitedWithCode(0), "");
}
#endif

TEST_P(Parallel, ThrowsOnWhatTheWorkThrew) {
  try {
    parallel_for(1000, GetParam(), [](std::int64_t i) {
      if (i == 500) throw std::runtime_error("at " + std::to_string(i));
    });
    FAIL() << "swallowed the exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "at 500");
  }
}

TEST_P(Parallel, StopsSoonAfterAFailure) {
  constexpr std::int64_t kCount = 1'000'000;
  std::atomic<std::int64_t> calls{0};
  EXPECT_THROW(parallel_for(kCount, GetParam(),
                            [&](std::int64_t) {
                              ++calls;
                              throw std::runtime_error("no");
                            }),
               std::runtime_error);
  EXPECT_LE(calls.load(), GetParam() == 0 ? std::thread::hardware_concurrency() : GetParam());
}

TEST_P(Parallel, StopsWhereTheCallerSaysSo) {
  constexpr std::int64_t kCount = 10'000'000'000;
  const auto caller = std::this_thread::get_id();
  std::atomic<std::int64_t> calls{0};
  std::atomic<bool> paused{false};
  const bool all = parallel_for(
      kCount, GetParam(),
      [&](std::int64_t) {
        ++calls;
        while (std::this_thread::get_id() != caller && !paused) std::this_thread::yield();
      },
      [&](std::int64_t) {
        paused = true;
        return false;
      });
  EXPECT_FALSE(all);
  EXPECT_GT(calls.load(), 0);
  EXPECT_LT(calls.load(), kCount);
}

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(0U, 1U, 2U, 7U));

TEST(ParallelPause, WhatItThrowsIsThrownAgainOnceAllThreadsHaveStopped) {
  std::atomic<bool> thrown = false;
  const auto caller = std::this_thread::get_id();
  const auto wait_for_pause = [&](std::int64_t) {
    while (std::this_thread::get_id() != caller && !thrown) std::this_thread::yield();
  };
  const auto refuse = [&](std::int64_t) -> bool {
    thrown = true;
    throw std::runtime_error("stop");
  };
  EXPECT_THROW(parallel_for(100'000, 4, wait_for_pause, refuse), std::runtime_error);
}

TEST(ParallelPause, IsCalledFromTheCallersThreadWithWhatIsDone) {
  std::vector<std::int64_t> done;
  const auto caller = std::this_thread::get_id();
  EXPECT_TRUE(parallel_for(
      40, 1, [](std::int64_t) {},
      [&](std::int64_t so_far) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        done.push_back(so_far);
        return true;
      }));
  ASSERT_FALSE(done.empty());
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), 40);
}

}  // namespace parallel_test
}  // namespace oracle
