#include "oracle/search/frontier.h"

#include <algorithm>
#include <numeric>

namespace oracle {

std::vector<Candidate> frontier(std::span<const Candidate> candidates) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Candidate& first = candidates[a];
    const Candidate& second = candidates[b];
    return first.step.time != second.step.time ? first.step.time < second.step.time
                                               : first.memory < second.memory;
  });
  std::vector<Candidate> unbeaten;
  for (const std::size_t index : order) {
    if (!unbeaten.empty() && candidates[index].memory >= unbeaten.back().memory) continue;
    unbeaten.push_back(candidates[index]);
  }
  return unbeaten;
}

}  // namespace oracle
