#pragma once
// How long did each part of a step take, where nobody waits for the device in between?
//
// Parts are noted by marks of the back end's stopwatch and added up when all work is complete.
//                                               tests/validate/executor/step_times_test.cpp

#include <memory>
#include <utility>
#include <vector>

#include "microbench/kernels/stopwatch.h"

namespace oracle {

class StepTimes {
 public:
  explicit StepTimes(std::unique_ptr<Stopwatch> stopwatch) : stopwatch_(std::move(stopwatch)) {}

  /// Forgets all parts.
  void begin_step();
  /// Notes nothing while it rests: work that is written down takes no time.
  void rest(bool rests) { rests_ = rests; }
  Mark mark() { return rests_ ? 0 : stopwatch_->mark(); }
  /// `figure`, which stays where it is, is to get the time from `begin` until now.
  void count(Mark begin, double& figure);
  /// The same, and `other` is to lose it.
  void count(Mark begin, double& figure, double& other);
  /// With the back end's work complete: adds what was noted to the figures.
  void settle();

 private:
  struct Part {
    Mark from, to;
    double sign;
    double* figure;
  };

  std::unique_ptr<Stopwatch> stopwatch_;
  bool rests_ = false;
  std::vector<Part> parts_;
};

}  // namespace oracle
