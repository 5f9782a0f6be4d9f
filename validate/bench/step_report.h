#pragma once
// How does a benchmark of the step reach its reader, and which bars does it reach?
//                                                        tests/validate/bench/step_report_test.cpp

#include <string>
#include <vector>

#include "validate/bench/step_bench.h"
#include "validate/train/context.h"

namespace oracle {

struct BarVerdict {
  std::string name;
  double value = 0, bar = 0;
  bool least = true;  ///< the value must not be below the bar; otherwise not above

  bool holds() const { return least ? value >= bar : value <= bar; }
};

/// One for each bar that was asked for, and that no reorder ran that a kept layout would avoid.
std::vector<BarVerdict> verdicts(const StepBenchRequest& request, const StepBench& bench);

std::string step_bench_text(const StepBenchRequest& request, const StepBench& bench,
                            const RunContext& context);
std::string step_bench_json(const StepBenchRequest& request, const StepBench& bench,
                            const RunContext& context);

}  // namespace oracle
