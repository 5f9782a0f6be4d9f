#include "oracle/search/alike.h"

#include <algorithm>
#include <string>
#include <utility>

namespace oracle {
namespace {

bool equal(const Candidate& a, const Candidate& b) {
  return a.step.time == b.step.time && a.step.uncertainty == b.step.uncertainty &&
         a.memory == b.memory && a.exposed == b.exposed && a.bottleneck == b.bottleneck;
}

/// What the objective makes small.
double burden(const Candidate& candidate, Objective objective) {
  return objective == Objective::memory ? candidate.memory.value : candidate.step.time.value;
}

/// Axes, then options that are written.
std::pair<std::size_t, std::int64_t> complexity(const Strategy& strategy) {
  const std::string text = to_text(strategy);
  return {strategy.mesh.size(), std::count(text.begin(), text.end(), ';')};
}

}  // namespace

std::vector<Candidate> merge_equal(std::vector<Candidate> candidates) {
  std::vector<Candidate> merged;
  for (Candidate& candidate : candidates) {
    if (!merged.empty() && equal(merged.back(), candidate)) {
      merged.back().also.push_back(std::move(candidate.strategy));
    } else {
      merged.push_back(std::move(candidate));
    }
  }
  return merged;
}

Recommendation recommend(std::span<const Candidate> candidates, Objective objective) {
  const double most = burden(candidates.front(), objective) * (1 + kAlike);
  Recommendation found;
  auto simplest = complexity(candidates.front().strategy);
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (burden(candidates[i], objective) > most) break;
    ++found.others;
    if (const auto own = complexity(candidates[i].strategy); own < simplest) {
      simplest = own;
      found.index = i;
    }
  }
  return found;
}

}  // namespace oracle
