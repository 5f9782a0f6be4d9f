#pragma once
// When has something been timed often enough, and what is its time?
//
// The time is the median. Its relative error is that of the distribution-free 90 % interval, whose
// ends are the order statistics n/2 ± 1.645·√n/2 (Conover, "Practical Nonparametric Statistics",
// 3.2). A series is done when it has enough values, enough seconds and a small enough error, or
// when its seconds are spent, as in NVBench.
//
// A step, though, is the sum of hundreds of such times, and as long as their means are: of a
// distribution with a tail, longer than the sum of medians. So the mean is told as well, of what is
// no more than half as long again as the median; what took longer was disturbed by something that a
// typical step does not see.
//
// Worked: of 1, 2, …, 9 the median is 5, the interval runs from 3 to 7: 40 %, and the mean of those
// up to 7.5 is 4
//                                                        tests/microbench/timing/series_test.cpp

#include <cstddef>
#include <vector>

namespace oracle {

struct StopRule {
  std::size_t least = 10;       ///< values
  double least_seconds = 0.05;  ///< of all values together, or 1,000 of them
  double error = 0.02;          ///< of the median, relative
  double most_seconds = 0.5;    ///< of all values together
};

/// The times of one thing [s].
class Series {
 public:
  /// `speed`: of the processor while it was timed (SpeedGuard), where someone looked.
  void add(double seconds, double speed = 1) {
    values_.push_back(seconds);
    speeds_.push_back(speed);
  }
  /// All that was added to the other.
  void add(const Series& other);
  const std::vector<double>& values() const { return values_; }

  bool done(const StopRule& rule) const;
  /// The same where the values are parts of what took `elapsed` seconds in all.
  bool done(const StopRule& rule, double elapsed) const;
  /// As the rule wants it; false: its seconds were spent first.
  bool precise(const StopRule& rule) const;

  /// As if all had been timed at one speed: 100 ms at 0.9 of it are 90 ms.
  Series at_speed(double speed) const;

  double median() const { return quantile(0.5); }
  /// Of what is no more than half as long again as the median; 0 of none.
  double mean() const;
  /// Between the nearest two values; 0 of none.
  double quantile(double part) const;
  /// Of the median, relative; infinite below three values.
  double error() const;

 private:
  double sum() const;

  std::vector<double> values_, speeds_;
};

}  // namespace oracle
