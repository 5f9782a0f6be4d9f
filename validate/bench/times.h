#pragma once
// How long would it have taken at the speed that is typical of the processor?
//
// A virtual machine's clock moves within seconds, and what is compared here is timed one after the
// other. Seconds times speed is work, which at the median of all speeds seen takes as long again.
//
// Worked: 100 ms at a speed of 8 and 50 ms at one of 12, where 10 is typical: 80 and 60 ms
//                                                            tests/validate/bench/times_test.cpp

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "oracle/base/statistics.h"

namespace oracle {

/// What was timed, by name.
class Times {
 public:
  /// The processor's speed while what is added next was timed.
  void at_speed(double speed) { speeds_.push_back(speed); }
  double work(double seconds) const { return seconds * speeds_.back(); }
  void add_work(const std::string& name, double work) { work_[name].push_back(work); }
  void add(const std::string& name, double seconds) { add_work(name, work(seconds)); }

  bool has(const std::string& name) const { return work_.count(name) > 0; }
  /// The median [s]; 0 of what was never timed.
  double middle(const std::string& name) const {
    return has(name) ? median(work_.at(name)) / median(speeds_) : 0;
  }
  /// The slowest and the fastest speed in units of the typical one.
  std::pair<double, double> range() const {
    const auto [least, most] = std::minmax_element(speeds_.begin(), speeds_.end());
    return {*least / median(speeds_), *most / median(speeds_)};
  }

 private:
  std::vector<double> speeds_;
  std::map<std::string, std::vector<double>> work_;  ///< seconds times speed
};

}  // namespace oracle
