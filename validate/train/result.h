#pragma once
// What does a run leave behind: a page of text and a JSON file with its full context?

#include <span>
#include <string>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"
#include "validate/train/outcome.h"
#include "validate/train/request.h"

namespace oracle {

/// Where and how it ran; results without it are worth nothing later.
struct RunContext {
  std::string command, date, host, processor;
  std::string version, commit, compiler, build_type;
  std::string kernels, communicator;
  std::string load;  ///< of the host when the run began
  int ranks = 1;
  int threads = 1;
};

RunContext run_context(std::span<const char* const> args, const Backend& backend,
                       const Communicator& communicator, int threads);

/// The page that rank 0 prints.
std::string summary_text(const TrainRequest& request, const Plan& plan, const Outcome& outcome);

std::string result_json(const RunContext& context, const TrainRequest& request, const Plan& plan,
                        const Outcome& outcome);

}  // namespace oracle
