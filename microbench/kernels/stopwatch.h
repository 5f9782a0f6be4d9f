#pragma once
// When did a back end's work begin and end, while no one waits for it?
//
// A device computes on its own, long after its work was started. Marks stand among the work: each
// is reached when all that was started before it is complete. What computes as it is called has
// reached a mark when it is set; the clock is then the wall's, and the thread's besides where one
// computes that may have to leave the processor to others (cpu/thread_stopwatch.h).
//                                               tests/microbench/kernels/stopwatch_test.cpp

#include <chrono>
#include <cstddef>
#include <vector>

namespace oracle {

using Mark = std::size_t;

class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  /// After all work that was started so far, before what is started next.
  virtual Mark mark() = 0;
  /// Between two marks, once the back end's work is complete [s].
  virtual double seconds(Mark from, Mark to) const = 0;
  /// Of these, how many the device was at it and not at something else.
  virtual double seconds_on_device(Mark from, Mark to) const { return seconds(from, to); }
  /// Forgets all marks.
  virtual void reset() = 0;

 protected:
  Stopwatch() = default;
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
};

/// Of what computes as it is called, on any number of threads.
class WallStopwatch final : public Stopwatch {
 public:
  Mark mark() override {
    marks_.push_back(Clock::now());
    return marks_.size() - 1;
  }
  double seconds(Mark from, Mark to) const override {
    return std::chrono::duration<double>(marks_.at(to) - marks_.at(from)).count();
  }
  void reset() override { marks_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<Clock::time_point> marks_;
};

}  // namespace oracle
