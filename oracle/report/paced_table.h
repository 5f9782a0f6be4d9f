#pragma once
// How right are predictions once one step is known?
//
//   with one run of the same network and device known, by scale
//     scale          set    runs  without   with  bias   p90  in interval
//     several nodes  judge   468     8.6 %  5.2 %  …
//                                                          tests/report/accuracy_report_test.cpp

#include <span>

#include "oracle/report/accuracy_report.h"

namespace oracle::report {

Table paced_table(std::span<const PacedRun> runs);

}  // namespace oracle::report
