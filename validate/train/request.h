#pragma once
// What was asked of oracle-train?                        tests/validate/train/request_test.cpp

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "oracle/cli/command.h"
#include "oracle/cluster/cluster.h"
#include "oracle/graph/graph.h"
#include "oracle/plan/strategy.h"
#include "oracle/plan/training.h"

namespace oracle {

struct TrainRequest {
  Graph graph;
  Cluster cluster;
  Strategy strategy;
  Training training;
  std::int64_t steps = 10;
  double rate = 0.01;
  std::uint64_t seed = 1;
  int threads = 1;
  bool check = false;
  std::optional<std::string> out;  ///< file of the result
};

/// Its options, for help and parser.
const cli::Command& train_command();

/// Seconds of the watchdog, as far as they can be read: the communicator is made before a problem
/// of the command line can be reported once.
double watchdog_seconds(std::span<const char* const> args);

/// Throws InputError with every problem.
TrainRequest read_request(std::span<const char* const> args);

}  // namespace oracle
