#include "oracle/search/search.h"

#include <algorithm>
#include <optional>

#include "oracle/base/parallel.h"

namespace oracle {
namespace {

/// What is kept of one evaluation: a candidate, or why there is none.
struct Outcome {
  std::optional<Candidate> candidate;
  std::optional<Infeasible> refusal;
};

Outcome outcome_of(Evaluation evaluation) {
  Outcome outcome;
  if (const Infeasible* refusal = evaluation.infeasible()) {
    outcome.refusal = *refusal;
    return outcome;
  }
  const Fits& fits = *evaluation.fits();
  const Breakdown& parts = fits.timeline.breakdown;
  outcome.candidate = Candidate{std::move(evaluation.strategy),
                                fits.step,
                                fits.samples_per_second,
                                fits.memory.total(),
                                fits.bottleneck,
                                parts.exposed_activation + parts.exposed_gradient};
  return outcome;
}

bool better(const Candidate& a, const Candidate& b, Objective objective) {
  switch (objective) {
    case Objective::throughput:
      return a.samples_per_second > b.samples_per_second;
    case Objective::memory:
      return a.memory != b.memory ? a.memory < b.memory : a.step.time < b.step.time;
    case Objective::time:
    case Objective::cost:
      break;
  }
  return a.step.time != b.step.time ? a.step.time < b.step.time : a.memory < b.memory;
}

double shortfall(const Infeasible& refusal) {
  return refusal.needed / std::max(refusal.available, 1e-9);
}

void count_refusal(const Strategy& strategy, const Infeasible& refusal, Ranking& ranking) {
  auto row =
      std::find_if(ranking.refused.begin(), ranking.refused.end(),
                   [&](const Refused& known) { return known.constraint == refusal.constraint; });
  if (row == ranking.refused.end()) {
    ranking.refused.push_back({refusal.constraint, 1, strategy, refusal});
    return;
  }
  ++row->count;
  if (shortfall(refusal) < shortfall(row->reason)) {
    row->nearest = strategy;
    row->reason = refusal;
  }
}

/// On a cluster with too few ranks every strategy fails for that one reason: the first tells it for
/// all, since the space of an absurd number of ranks is too large to list.
std::vector<Strategy> space_on(const Cluster& cluster, const SearchRequest& request) {
  if (request.ranks > cluster.ranks()) {
    Strategy first = request.base;
    first.mesh = {{request.ranks, Cut::sample}};
    return {first};
  }
  return strategy_space(request.ranks, request.training.batch, request.base, request.space);
}

}  // namespace

std::string_view name_of(Objective objective) {
  constexpr std::array<std::string_view, 4> kNames = {"time", "throughput", "memory", "cost"};
  return kNames[static_cast<std::size_t>(objective)];
}

Ranking search(const Graph& graph, const Cluster& cluster, const Profile& profile,
               const SearchRequest& request) {
  const std::vector<Strategy> space = space_on(cluster, request);
  const auto count = static_cast<std::int64_t>(space.size());
  std::vector<Outcome> outcomes(space.size());
  std::function<bool(std::int64_t)> pause;
  if (request.progress) {
    pause = [&](std::int64_t done) { return request.progress(done, count); };
  }
  const auto one = [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    outcomes[index] = outcome_of(evaluate(graph, cluster, profile, space[index], request.training));
  };
  parallel_for(count, request.threads, one, pause);

  Ranking ranking;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (outcomes[i].candidate) ranking.candidates.push_back(std::move(*outcomes[i].candidate));
    if (outcomes[i].refusal) count_refusal(space[i], *outcomes[i].refusal, ranking);
    ranking.considered += outcomes[i].candidate || outcomes[i].refusal ? 1 : 0;
  }
  for (Candidate& candidate : ranking.candidates) {
    candidate.spending =
        spending_of(cluster, request.ranks, candidate.step.time, request.training.batch);
  }
  std::stable_sort(
      ranking.candidates.begin(), ranking.candidates.end(),
      [&](const Candidate& a, const Candidate& b) { return better(a, b, request.objective); });
  std::stable_sort(ranking.refused.begin(), ranking.refused.end(),
                   [](const Refused& a, const Refused& b) { return a.count > b.count; });
  return ranking;
}

}  // namespace oracle
