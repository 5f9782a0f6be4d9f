#pragma once
// How long does a search of hyper-parameters take on so many places?
//
// Its queue (trials.h) is served event by event: whatever may begin takes the first place that is
// free. Which trials are best is drawn; all of them train equally fast.
//
//   a run           start + (to - from)·whole
//   random, alone   ⌈N/W⌉·(start + whole) for N trials on W places
//
// Worked: 64 trials of 1 h on 32 places take 2 h, on 48 as long    tests/budget/trials_test.cpp

#include <cstdint>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/budget/trials.h"

namespace oracle {

struct TrialTimes {
  Seconds whole;    ///< of a training to the end
  Seconds start{};  ///< of each run, before it trains
};

struct TrialCourse {
  Seconds makespan;
  double busy = 0;                 ///< part of the places' time in which a run has them
  double trainings = 0;            ///< whole ones that all runs amount to
  std::vector<std::int64_t> runs;  ///< by rung
};

TrialCourse course_of(const TrialSearch& search, std::int64_t places, const TrialTimes& times,
                      std::uint64_t seed);

/// The same over draws of which trials are best.
struct TrialCourses {
  TrialCourse mean;
  double spread = 0;  ///< of the makespan: half of its range, as a share of the mean
};

/// One draw tells all where a trial is judged beside all that it is compared with.
TrialCourses courses_of(const TrialSearch& search, std::int64_t places, const TrialTimes& times);

}  // namespace oracle
