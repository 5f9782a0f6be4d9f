#pragma once
// oracle-bench-links: measures the links between the ranks it was started on.
//
//   mpirun -np N oracle-bench-links --out FILE …
//   oracle-bench-links --ranks N --out FILE …         starts that many on this machine
//   (microbench/comm/launch.h)
//
// Exit codes are those of oracle (oracle/cli/run.h).      tests/microbench/links/request_test.cpp

#include <iosfwd>
#include <optional>
#include <span>
#include <string>

#include "oracle/base/units.h"
#include "oracle/cli/command.h"

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

/// Its options, and how it is called.
const cli::Command& links_command();

/// Throws InputError with every problem.
LinksRequest read_links_request(std::span<const char* const> words);

/// `words` after the program's name; on `out` only help. Rank 0 reports and writes. Returns the
/// exit code.
int run_links(std::span<const char* const> words, std::ostream& out, std::ostream& err);

}  // namespace oracle
