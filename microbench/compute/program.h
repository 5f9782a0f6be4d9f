#pragma once
// oracle-bench: measures one device and writes samples. `oracle calibrate` starts it.
//
// Without --cases it takes the grid. Exit codes are those of oracle (oracle/cli/run.h).
//                                                 tests/microbench/compute/program_test.cpp

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "microbench/compute/grid.h"
#include "oracle/cli/command.h"

namespace oracle {

struct BenchRequest {
  std::string out;
  GridSize size = GridSize::full;
  std::optional<std::string> cases;  ///< a file of layers, one a line
  int threads = 1;
  std::optional<double> seconds;
  std::string backend = "cpu";
};

/// Its options, and how it is called.
const cli::Command& bench_command();

/// Throws InputError with every problem.
BenchRequest read_bench_request(std::span<const char* const> words);

/// One layer a line; empty lines and those that begin with '#' are none. Throws InputError with
/// every problem and its line.
std::vector<LayerCase> read_cases(std::istream& in, const std::string& name);

/// `words` after the program's name; on `out` only help. Returns the exit code.
int run_bench(std::span<const char* const> words, std::ostream& out, std::ostream& err);

}  // namespace oracle
