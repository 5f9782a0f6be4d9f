#pragma once
// What was asked of oracle-bench-step?                   tests/validate/bench/request_test.cpp

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "oracle/cli/command.h"
#include "oracle/graph/graph.h"

namespace oracle {

/// Bars that a step must reach; none where it is only reported.
struct Bars {
  std::optional<double> step_rate;         ///< least share of the best rate, over the whole step
  std::optional<double> convolution_rate;  ///< least share of it, over convolutions and dense
  std::optional<double> rest;              ///< largest share of the step for everything else
  std::optional<double> beside;            ///< least speed in units of the program's beside
};

struct StepBenchRequest {
  Graph graph;
  std::int64_t batch = 1;
  std::int64_t rounds = 5;
  std::int64_t repeats = 3;
  Bars bars;
  std::optional<std::string> beside;  ///< prefix of the pipes
  std::optional<std::string> out;     ///< file of the JSON
};

/// Its options, for help and parser.
const cli::Command& step_bench_command();

/// Throws InputError with every problem.
StepBenchRequest read_step_bench_request(std::span<const char* const> args);

}  // namespace oracle
