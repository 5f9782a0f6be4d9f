#pragma once
// What does a device wait for the host that launches its kernels?
//
//   start(i) = max( end(i-1), h * kernels up to i ),  end(i) = start(i) + t(i)
//
// The host runs ahead while kernels are long; where they are short it sets the pace, and all of
// them together take no less than its launches. A kernel's price is end(i) - end(i-1). A message
// that the device waits for is a kernel, too: it is launched, and while it lasts the host goes on.
//
// Worked: at 80 us a launch kernels of 200, 10 and 10 us take 280, 10 and 10 us: the host is ahead.
// Of 10 us each they take 90, 80 and 80                        tests/cost/host_queue_test.cpp

#include <algorithm>

#include "oracle/base/units.h"

namespace oracle {

class HostQueue {
 public:
  explicit HostQueue(Seconds per_kernel) : per_kernel_(per_kernel) {}

  /// What work of so many kernels takes, with what it waits for the host.
  Seconds run(double kernels, Seconds time) {
    launched_ += per_kernel_ * kernels;
    const Seconds wait = std::max(launched_ - end_, Seconds{});
    end_ += wait + time;
    return wait + time;
  }

 private:
  Seconds per_kernel_, launched_, end_;
};

}  // namespace oracle
