#pragma once
// How long did this process compute?
//
// Processor time and not the clock on the wall: a core that others use too would else be measured
// with them. With one thread and no input to wait for, both are equal on an idle machine.

#include <ctime>

namespace oracle {

/// Seconds, user's and system's, of all threads so far.
inline double processor_seconds() {
  std::timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace oracle
