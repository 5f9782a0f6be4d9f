#include "microbench/kernels/gpu/device/products/choice.h"

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

}  // namespace oracle::gpu
