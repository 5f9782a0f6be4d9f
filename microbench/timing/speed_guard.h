#pragma once
// Does the processor run as fast as it did before?
//
// A virtual machine shows neither clock nor temperature, nor whether a neighbour's thread runs on
// the same core. Independent multiplications and additions of vectors keep a core's arithmetic
// units busy: their rate is the clock's, and less where the units are shared. What is timed before
// a probe below 75 % of the typical rate is discarded, as NVBench does by the GPU's clock; typical,
// not best: a core that had rested ran a third faster for a while.
//                                                 tests/microbench/timing/speed_guard_test.cpp

#include <cstdint>
#include <functional>
#include <vector>

namespace oracle {

class SpeedGuard {
 public:
  /// `probe` returns a rate; by default arithmetic_rate().
  explicit SpeedGuard(std::function<double()> probe = arithmetic_rate);

  /// Probes. Whether the processor runs at 75 % of what is typical or more.
  bool at_speed();

  /// The slowest rate seen, in units of the typical one then.
  double lowest() const { return lowest_; }
  std::int64_t slow_probes() const { return slow_; }
  /// The rate seen last.
  double latest() const { return rates_.back(); }
  /// The median of all rates seen.
  double typical() const;

  /// Operations on floats per second of processor time, over about a tenth of a millisecond.
  static double arithmetic_rate();
  /// The best of a few such rates: a probe that others interrupted says nothing of the clock.
  static double speed_now();

 private:
  std::function<double()> probe_;
  double typical_ = 0;  ///< of late
  double lowest_ = 1;
  std::int64_t slow_ = 0;
  std::vector<double> rates_;  ///< never none
};

}  // namespace oracle
