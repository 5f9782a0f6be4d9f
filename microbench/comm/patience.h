#pragma once
// How long to pause between two polls?
//
// Something that has just moved is likely to move again: the next poll follows at once, and others
// with no pause but giving up the core. After 50 us with nothing new the pauses grow, 10 us to 200
// us, so that the core is left to whoever computes; where the rank has no other core, they begin at
// once. While the rank itself waits it computes nothing: pauses begin after 2 ms, for what arrives
// during one is seen at its end, and the next exchange finds its rank as much later. With pauses at
// once, 140 exchanges of a step of two ranks took 40 ms more than the messages. Where others
// compute on the core, who gives it up gets it back some milliseconds later, and who wakes from a
// pause at once: there pauses come first as well.
//                                                       tests/microbench/comm/patience_test.cpp

#include <chrono>

namespace oracle {

class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Patience(bool crowded) : crowded_(crowded) {}

  /// The core was given up, and came back after `away`.
  void gave_way(Clock::time_point now, Clock::duration away) {
    if (away > kOthers) shared_until_ = now + kRemembered;
  }

  void renew(Clock::time_point now) {
    since_ = now;
    pause_ = kShortest;
  }

  /// Zero: poll again at once. `awaited`: the rank does nothing but wait.
  std::chrono::microseconds next(Clock::time_point now, bool awaited) {
    if (now - since_ < eager(now, awaited)) return std::chrono::microseconds{0};
    const std::chrono::microseconds pause = pause_;
    pause_ = pause_ * 2 < kLongest ? pause_ * 2 : kLongest;
    return pause;
  }

 private:
  std::chrono::microseconds eager(Clock::time_point now, bool awaited) const {
    if (awaited && now >= shared_until_) return kEagerAwaited;
    return crowded_ ? std::chrono::microseconds{0} : kEager;
  }

  static constexpr std::chrono::microseconds kEager{50};
  static constexpr std::chrono::microseconds kEagerAwaited{2000};
  /// Longer than a switch to a thread that only looks around.
  static constexpr std::chrono::microseconds kOthers{100};
  static constexpr std::chrono::milliseconds kRemembered{500};
  static constexpr std::chrono::microseconds kShortest{10};
  static constexpr std::chrono::microseconds kLongest{200};

  bool crowded_;
  Clock::time_point since_ = Clock::now();
  Clock::time_point shared_until_{};
  std::chrono::microseconds pause_ = kShortest;
};

}  // namespace oracle
