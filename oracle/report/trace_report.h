#pragma once
// How does the comparison of a prediction with a recorded trace read?
//
// One sentence with the error and the verdict; what the GPU did in a step; its kernels by class,
// its collectives, the allocator's peak where it was recorded; what was assumed.
//                                                              tests/report/trace_report_test.cpp

#include "oracle/record/trace_comparison.h"
#include "oracle/report/document.h"

namespace oracle::report {

Document trace_report(const TraceComparison& comparison, const Prediction& prediction,
                      const Trace& trace);

}  // namespace oracle::report
