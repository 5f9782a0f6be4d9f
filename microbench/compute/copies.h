#pragma once
// How fast do cores copy that all copy?
//
// Copies through a message (copiers.h), by `threads` threads at the same time: from 256 KiB, which
// a core's own cache holds, to 64 MiB, which none does; of as much by one thread as well. What
// cores share is not the same all the time (sharing_probe.h): they are measured in several rounds,
// a sample of each, all through a session.              tests/microbench/compute/copies_test.cpp

#include <vector>

#include "microbench/compute/session.h"

namespace oracle {

class CopyBench {
 public:
  /// `rule`: of one size in one round.
  CopyBench(int threads, const StopRule& rule) : threads_(threads), rule_(rule) {}

  /// Makes the rounds that are due when that part of a session is over; all of them by 1.
  void run_up_to(double part);

  /// Of what was measured.
  std::vector<CopySample> take() { return std::move(samples_); }

 private:
  int threads_;
  StopRule rule_;
  int rounds_ = 0;
  std::vector<CopySample> samples_;
};

}  // namespace oracle
