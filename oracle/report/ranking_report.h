#pragma once
// Which strategy is the best, what limits it, what else fits, and why do the others not?
//                                                            tests/report/ranking_report_test.cpp

#include <optional>

#include "oracle/report/run_section.h"
#include "oracle/report/sections.h"
#include "oracle/search/alike.h"
#include "oracle/search/search.h"

namespace oracle::report {

struct RankingView {
  std::int64_t ranks = 1;
  Training training;
  Objective objective = Objective::time;
  std::size_t most_shown = 10;  ///< candidates
  Recommendation recommended{};
  std::optional<WholeRun> run{};
  /// Shown in place of all candidates.
  std::optional<std::vector<Candidate>> frontier{};
};

/// `best` is the candidate recommended (search/alike.h) evaluated with Detail::events; null where
/// nothing fits.
Document ranking_report(const Subject& subject, const Ranking& ranking, const Evaluation* best,
                        const RankingView& view);

}  // namespace oracle::report
