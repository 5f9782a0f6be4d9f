#pragma once
// By which clock is a kernel timed?
//
// A kernel on one thread never sleeps, so the processor's time of that thread is its time, and what
// others take of the core in between is not measured with it. With several threads, or on a device
// of its own, it is the clock on the wall.            tests/microbench/timing/clocks_test.cpp

namespace oracle {

enum class Clock : unsigned char { processor, wall };

/// "processor", "wall"
const char* name_of(Clock clock);

/// Seconds since some moment.
double now(Clock clock);

}  // namespace oracle
