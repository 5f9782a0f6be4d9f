#pragma once
// How long does the whole training take, and what does it cost?
//
//   steps of an epoch = ⌈samples / batch⌉; device-hours = time · ranks / ranks per device
//
// Worked: 1,281,167 samples, batch 2048, 0.1 s a step: 626 steps, 62.6 s an epoch
//                                                             tests/report/run_section_test.cpp

#include "oracle/report/sections.h"

namespace oracle::report {

/// A data set and how often it is passed through.
struct WholeRun {
  std::int64_t samples = 0;
  std::int64_t epochs = 1;
};

/// "25.3 min", and days where there are many: "11.6 days".
std::string run_time(Seconds time);

/// Time, device-hours and, where the device has a price, dollars of an epoch and of the run.
Table run_table(const WholeRun& run, const Cost& step, std::int64_t batch, std::int64_t ranks,
                const Cluster& cluster);

}  // namespace oracle::report
