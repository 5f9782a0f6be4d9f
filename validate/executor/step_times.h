#pragma once
// How long did each part of a step take, where no one waits for the device in between?
//
// Parts are noted by marks of the back end's stopwatch and added up when all work is complete.
//
// Which kernels of a stretch of computing, from one wait to the next, are interrupted by others on
// the same processor is chance, and an interruption takes longer than most kernels. What a stretch
// took is therefore divided among its kernels as the time is that each was at it.
//
// Worked: kernels of 1 and 3 ms, the first one interrupted for 4 ms: 2 and 6 ms, not 5 and 3
//                                               tests/validate/executor/step_times_test.cpp

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "microbench/kernels/stopwatch.h"

namespace oracle {

/// What a rank does in a part of a step.
enum class Doing : std::uint8_t {
  computing,
  passing,  ///< something on to a message under way, and goes on computing
  waiting,  ///< for a message: a stretch of computing is over
};

class StepTimes {
 public:
  explicit StepTimes(std::unique_ptr<Stopwatch> stopwatch) : stopwatch_(std::move(stopwatch)) {}

  /// Forgets all parts.
  void begin_step();
  /// Notes nothing while it rests: work that is written down takes no time.
  void rest(bool rests) { rests_ = rests; }
  Mark mark() { return rests_ ? 0 : stopwatch_->mark(); }
  /// `figure`, which stays where it is, is to get the time from `begin` until now.
  void count(Mark begin, double& figure, Doing doing);
  /// With the back end's work complete: adds what was noted to the figures.
  void settle();

 private:
  struct Part {
    Mark from, to;
    double* figure;
    Doing doing;
  };

  void divide(const std::vector<const Part*>& stretch);

  std::unique_ptr<Stopwatch> stopwatch_;
  bool rests_ = false;
  std::vector<Part> parts_;
};

}  // namespace oracle
