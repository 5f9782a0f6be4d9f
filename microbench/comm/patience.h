#pragma once
// How long to pause between two polls?
//
// Something that has just moved is likely to move again: polls follow each other with no pause but
// giving up the core. After 50 us with nothing new the pauses grow, 10 us to 200 us, so that a rank
// that waits leaves its core to the ranks that compute. On a host with fewer cores than ranks and
// their engines the pauses begin at once.
//                                                       tests/microbench/comm/patience_test.cpp

#include <chrono>

namespace oracle {

class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Patience(bool crowded) : crowded_(crowded) {}

  void renew(Clock::time_point now) {
    since_ = now;
    pause_ = kShortest;
  }

  /// Zero: poll again at once.
  std::chrono::microseconds next(Clock::time_point now) {
    if (!crowded_ && now - since_ < kEager) return std::chrono::microseconds{0};
    const std::chrono::microseconds pause = pause_;
    pause_ = pause_ * 2 < kLongest ? pause_ * 2 : kLongest;
    return pause;
  }

 private:
  static constexpr std::chrono::microseconds kEager{50};
  static constexpr std::chrono::microseconds kShortest{10};
  static constexpr std::chrono::microseconds kLongest{200};

  bool crowded_;
  Clock::time_point since_ = Clock::now();
  std::chrono::microseconds pause_ = kShortest;
};

}  // namespace oracle
