#pragma once
// Where and how did a program run? Results without it are worth nothing later.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"

namespace oracle {

struct RunContext {
  std::string command, date, host, processor;
  std::string version, commit, compiler, build_type;
  std::string kernels, communicator;
  std::string load;     ///< of the host when the run began
  double speed = 0;     ///< of the slowest rank's processor, in the median of steps (SpeedGuard)
  std::string sharing;  ///< of a device by ranks; empty where each has its own
  int ranks = 1;
  int threads = 1;
};

/// Of `program` with `args`.
RunContext run_context(std::string_view program, std::span<const char* const> args,
                       const Backend& backend, const Communicator& communicator, int threads);

/// Its members in a result.
nlohmann::ordered_json context_json(const RunContext& context);

}  // namespace oracle
