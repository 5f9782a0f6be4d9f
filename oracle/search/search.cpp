#include "oracle/search/search.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "oracle/base/parallel.h"
#include "oracle/search/family_search.h"
#include "oracle/search/standing.h"

namespace oracle {
namespace {

/// Families for threads to take and give back: each keeps the room and the prices of those before.
class Workshop {
 public:
  explicit Workshop(const Setting& setting) : setting_(setting) {}

  std::unique_ptr<Family> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Family>(setting_);
    std::unique_ptr<Family> family = std::move(idle_.back());
    idle_.pop_back();
    return family;
  }

  void give_back(std::unique_ptr<Family> family) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(family));
  }

 private:
  Setting setting_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Family>> idle_;
};

void add_refused(Refused& refused, Ranking& ranking) {
  auto row =
      std::find_if(ranking.refused.begin(), ranking.refused.end(),
                   [&](const Refused& known) { return known.constraint == refused.constraint; });
  if (row == ranking.refused.end()) {
    ranking.refused.push_back(std::move(refused));
    return;
  }
  row->count += refused.count;
  if (shortfall(refused.reason) < shortfall(row->reason)) {
    row->nearest = std::move(refused.nearest);
    row->reason = std::move(refused.reason);
  }
}

void add(FamilyAnswer& answer, Ranking& ranking) {
  ranking.considered += answer.considered;
  ranking.fitting += answer.fitting;
  ranking.priced += answer.priced;
  if (answer.best) ranking.candidates.push_back(std::move(*answer.best));
  for (Refused& refused : answer.refused) add_refused(refused, ranking);
}

Standing standing_of(const Candidate& candidate) {
  return {candidate.step.time, candidate.samples_per_second, candidate.memory};
}

void sort(const SearchRequest& request, Ranking& ranking) {
  std::stable_sort(ranking.candidates.begin(), ranking.candidates.end(),
                   [&](const Candidate& a, const Candidate& b) {
                     return better(standing_of(a), standing_of(b), request.objective);
                   });
  if (request.keep > 0 && ranking.candidates.size() > request.keep) {
    ranking.candidates.erase(ranking.candidates.begin() + static_cast<std::ptrdiff_t>(request.keep),
                             ranking.candidates.end());
  }
  std::stable_sort(ranking.refused.begin(), ranking.refused.end(),
                   [](const Refused& a, const Refused& b) { return a.count > b.count; });
}

/// The variants of what the space holds: of a pipeline, and of anything else.
struct Variants {
  std::vector<Variant> of_pipeline, of_others;

  explicit Variants(const SearchRequest& request) {
    Strategy pipeline = request.base;
    pipeline.mesh = {{2, Cut::pipeline}};
    of_pipeline = variants_of(pipeline, request.base, request.space);
    Strategy other = request.base;
    other.mesh.clear();
    of_others = variants_of(other, request.base, request.space);
  }
  const std::vector<Variant>& of(const Strategy& strategy) const {
    return strategy.has(Cut::pipeline) ? of_pipeline : of_others;
  }
};

/// On a cluster with too few ranks every strategy fails for that one reason: the first tells it for
/// all, since the space of an absurd number of ranks is too large to list.
std::vector<Strategy> space_on(const Graph& graph, const Cluster& cluster,
                               const SearchRequest& request) {
  if (request.ranks > cluster.ranks()) {
    Strategy first = request.base;
    first.mesh = {{request.ranks, Cut::sample}};
    return {first};
  }
  return strategy_space(request.ranks, request.training.batch, request.base,
                        on_network(graph, request.space));
}

}  // namespace

std::string_view name_of(Objective objective) {
  constexpr std::array<std::string_view, 4> kNames = {"time", "throughput", "memory", "cost"};
  return kNames[static_cast<std::size_t>(objective)];
}

Ranking search(const Graph& graph, const Cluster& cluster, const Profile& profile,
               const SearchRequest& request) {
  const Variants variants(request);
  for (const Variant& variant : variants.of_others) {
    require_algorithm(Collective::all_reduce, variant.exchange);
  }
  const std::vector<Strategy> space = space_on(graph, cluster, request);
  const auto count = static_cast<std::int64_t>(space.size());
  std::int64_t strategies = 0;
  for (const Strategy& strategy : space) {
    strategies += static_cast<std::int64_t>(variants.of(strategy).size());
  }
  std::vector<FamilyAnswer> answers(space.size());
  std::function<bool(std::int64_t)> pause;
  if (request.progress) {
    pause = [&](std::int64_t done) {
      return request.progress(strategies * done / count, strategies);
    };
  }
  Workshop workshop({graph, cluster, profile});
  Bar bar(request.prune ? request.keep : 0, request.objective);
  const auto one = [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    const Strategy& strategy = space[index];
    std::unique_ptr<Family> family = workshop.take();
    FamilyAnswer& answer = answers[index];
    answer = search_family(*family, strategy, variants.of(strategy), request, bar.get());
    if (answer.best) bar.raise(standing_of(*answer.best));
    workshop.give_back(std::move(family));
  };
  parallel_for(count, request.threads, one, pause);

  Ranking ranking;
  for (FamilyAnswer& answer : answers) add(answer, ranking);
  for (Candidate& candidate : ranking.candidates) {
    candidate.spending =
        spending_of(cluster, request.ranks, candidate.step.time, request.training.batch);
  }
  sort(request, ranking);
  return ranking;
}

Spending spending_of(const Cluster& cluster, std::int64_t ranks, Seconds step, std::int64_t batch) {
  constexpr Seconds kHour{3600};
  const double devices = static_cast<double>(ranks) / static_cast<double>(cluster.ranks_per_device);
  Spending spending;
  spending.per_step = cluster.device.price_per_hour * devices * (step / kHour);
  spending.per_million_samples = spending.per_step * 1e6 / static_cast<double>(batch);
  return spending;
}

}  // namespace oracle
