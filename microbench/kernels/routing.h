#pragma once
// Which token has which row of an expert?
//
// A token goes to the experts of its best scores that have room, and an expert has room for its
// rows of a sample (oracle/graph/expert_rows.h). First choices of all tokens come before second
// ones, and tokens in their order; of equal scores the first expert's is the best. A token that
// finds no further expert has a row less, and the row stays empty: Fedus et al., "Switch
// transformers", arXiv 2101.03961, appendix B (no token left behind).
//
// Who goes where follows from the scores of one sample alone. Whoever has these finds the same.
//
// Worked: scores (9, 1), (8, 2), (7, 3) of three tokens for two experts of two rows each, to one
// expert: rows of tokens 0, 1, 2, and an empty one       tests/microbench/kernels/routing_test.cpp

#include <cstdint>
#include <span>
#include <vector>

#include "microbench/kernels/kernel.h"

namespace oracle {

inline constexpr std::int32_t kNoToken = -1;

/// What is known of a routing before any score is.
struct Routing {
  std::int64_t tokens = 0, rows = 0, experts = 0, per_token = 0;
};

/// Of a dispatch or a combine, whose last input is the scores.
Routing routing_of(const LocalLayer& layer);

/// The token of each row, or kNoToken. `scores`: of each expert, token by token.
std::vector<std::int32_t> tokens_of_rows(const Routing& routing, std::span<const float> scores);

/// Experts of a rank that have equally many rows.
struct ExpertRun {
  std::int64_t first = 0, experts = 0;  ///< among the rank's experts
  std::int64_t begin = 0, rows = 0;     ///< among the rank's rows; of each expert, may be none
  bool operator==(const ExpertRun&) const = default;
};

/// How many experts' matrices a rank has.
std::int64_t experts_of(const LocalLayer& layer);

/// They and their rows, in order. Throws InputError where a rank has a part of an expert's rows.
std::vector<ExpertRun> expert_runs(const LocalLayer& layer);

}  // namespace oracle
