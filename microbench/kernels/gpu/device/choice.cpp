#include "microbench/kernels/gpu/device/choice.h"

#include <array>
#include <cstdio>

namespace oracle::gpu {
namespace {

bool better(const Candidate& a, const Candidate& b) {
  if (a.deterministic != b.deterministic) return a.deterministic;
  return a.seconds < b.seconds;
}

}  // namespace

std::optional<Candidate> choose(std::span<const Candidate> candidates,
                                std::int64_t most_workspace) {
  std::optional<Candidate> best;
  for (const Candidate& candidate : candidates) {
    if (!candidate.works || candidate.workspace > most_workspace) continue;
    if (!best || better(candidate, *best)) best = candidate;
  }
  return best;
}

std::string choice_text(const std::string& pass, const Candidate& chosen) {
  std::array<char, 32> milliseconds{};
  std::snprintf(milliseconds.data(), milliseconds.size(), "%.3f ms", chosen.seconds * 1e3);
  return pass + ": algorithm " + std::to_string(chosen.algorithm) + ", workspace " +
         std::to_string(chosen.workspace) + " bytes, " + milliseconds.data() +
         (chosen.deterministic ? ", deterministic" : ", not deterministic");
}

}  // namespace oracle::gpu
