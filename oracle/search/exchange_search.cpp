#include "oracle/search/exchange_search.h"

#include <algorithm>
#include <utility>

#include "oracle/plan/exchanges/gradient_exchange.h"
#include "oracle/search/standing.h"

namespace oracle {
namespace {

constexpr std::int64_t kTimesAsMany = 4;

/// On the ranks' base options.
Strategy with(std::string_view options, const SearchRequest& request) {
  Strategy strategy = request.base;
  const Strategy asked = parse_strategy("data; " + std::string(options));
  strategy.mesh = {{request.ranks, Cut::sample}};
  strategy.exchange = asked.exchange;
  strategy.staleness = asked.staleness;
  return strategy;
}

Candidate candidate_of(const Evaluation& evaluation, const Fits& fits, const Cluster& cluster) {
  const Breakdown& parts = fits.timeline.breakdown;
  return {evaluation.strategy,
          fits.step,
          fits.samples_per_second,
          fits.memory.total(),
          fits.bottleneck,
          parts.exposed_activation + parts.exposed_gradient,
          spending_of(cluster, evaluation.ranks, fits.step.time, evaluation.training.batch)};
}

}  // namespace

std::vector<std::string> exchanges_on(std::int64_t ranks) {
  std::vector<std::string> options = {"exchange=auto"};
  for (const GradientExchange& row : all_gradient_exchanges()) {
    const std::string name = "exchange=" + std::string(row.name);
    if (row.route != ExchangeRoute::servers) {
      options.push_back(row.parameter.empty() ? name : name + ":" + std::string(row.parameter));
      continue;
    }
    for (std::int64_t servers = 1;; servers = std::min(ranks, kTimesAsMany * servers)) {
      options.push_back(name + ":" + std::to_string(servers));
      options.push_back(options.back() + "; staleness=any");
      if (servers == ranks) break;
    }
  }
  return options;
}

Ranking search_exchanges(const Graph& graph, const Cluster& cluster, const Profile& profile,
                         const SearchRequest& request) {
  Ranking ranking;
  for (const std::string& options : exchanges_on(request.ranks)) {
    const Strategy strategy = with(options, request);
    const Evaluation evaluation = evaluate(graph, cluster, profile, strategy, request.training);
    ++ranking.considered;
    if (const Infeasible* why = evaluation.infeasible()) {
      ranking.refused.push_back({why->constraint, 1, strategy, *why});
      continue;
    }
    ranking.candidates.push_back(candidate_of(evaluation, *evaluation.fits(), cluster));
  }
  ranking.fitting = ranking.priced = static_cast<std::int64_t>(ranking.candidates.size());
  std::stable_sort(ranking.candidates.begin(), ranking.candidates.end(),
                   [](const Candidate& one, const Candidate& other) {
                     return better(standing_of(one), standing_of(other), Objective::time);
                   });
  return ranking;
}

}  // namespace oracle
