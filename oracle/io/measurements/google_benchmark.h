#pragma once
// What does the JSON of Google Benchmark say?
//
// "benchmarks" has a row for each run, in the row's time_unit. Its writer puts bare NaN and
// Infinity where a number was none, which JSON does not know: here, and only here, they are read as
// missing. A row that failed (error_occurred) has a time of zero and is refused. Aggregates stand
// between the runs they sum up: a median counts where its runs were left out
// (--benchmark_report_aggregates_only).
//
// Worked: "real_time": 1639.2, "time_unit": "us" is 1.6392 ms
//                                         tests/io/measurements/google_benchmark_test.cpp

#include <string>
#include <string_view>

#include "oracle/io/measurements/measurements.h"

namespace oracle {

bool is_google_benchmark(std::string_view text);
void read_google_benchmark(std::string_view text, const std::string& name,
                           const MeasurementHints& hints, Measurements& into);

}  // namespace oracle
