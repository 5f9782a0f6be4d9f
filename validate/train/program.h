#pragma once
// oracle-train, from its words to its exit code (oracle/cli/run.h has them). Rank 0 alone prints.

#include <iosfwd>
#include <span>

namespace oracle {

/// Of the environment: set where somebody watches the steps.
inline constexpr const char* kWatched = "ORACLE_WATCHED";

/// Called once per process, under a launcher that started as many as the strategy has ranks.
int run_train(std::span<const char* const> args, std::ostream& out, std::ostream& err);

}  // namespace oracle
