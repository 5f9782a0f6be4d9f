#include "microbench/timing/clocks.h"

#include <ctime>

namespace oracle {

const char* name_of(Clock clock) { return clock == Clock::processor ? "processor" : "wall"; }

double now(Clock clock) {
  std::timespec time{};
  clock_gettime(clock == Clock::processor ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace oracle
