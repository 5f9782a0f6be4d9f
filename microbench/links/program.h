#pragma once
// oracle-bench-links: measures the links between the ranks it was started on.
//
//   mpirun -np N oracle-bench-links --out FILE [--quick] [--seconds S] [--largest SIZE]
//                                   [--watchdog S] [--device cpu|gpu]
//   oracle-bench-links --ranks N …         starts that many on this machine
//   (microbench/comm/launch.h)
//
// Exit codes are those of oracle (oracle/cli/run.h).      tests/microbench/links/request_test.cpp

#include <iosfwd>
#include <optional>
#include <span>
#include <string>

#include "oracle/base/units.h"

namespace oracle {

struct LinksRequest {
  std::string out;
  bool quick = false;
  double seconds = 300;  ///< in all; 40 where it is quick
  Bytes largest{1e9};    ///< 64 MB where it is quick
  double watchdog = 60;
  std::string device = "cpu";  ///< whose memory messages go through (link_memory.h)
  std::optional<int> ranks;    ///< to start on this machine
};

/// Throws InputError with every problem.
LinksRequest read_links_request(std::span<const char* const> words);

/// `words` after the program's name. Rank 0 prints and writes. Returns the exit code.
int run_links(std::span<const char* const> words, std::ostream& err);

}  // namespace oracle
