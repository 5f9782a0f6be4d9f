// A search answers the same with any number of threads, leaves nothing out and ranks what
// evaluate() says.

#include "oracle/search/search.h"

#include "tests/properties/every_saving.h"
#include "tests/properties/random_cases.h"

namespace oracle {
namespace properties_search_test {

/// Everything a ranking says, in its order.
std::string to_text(const Ranking& ranking) {
  std::string text = std::to_string(ranking.considered);
  for (const Candidate& row : ranking.candidates) {
    text += '\n' + to_text(row.strategy) + ' ' + std::to_string(row.step.time.value * 1e9) + ' ' +
            std::to_string(row.step.uncertainty) + ' ' + std::to_string(row.memory.value) + ' ' +
            std::to_string(row.samples_per_second) + ' ' + std::to_string(row.exposed.value * 1e9) +
            ' ' + std::string(name_of(row.bottleneck));
  }
  for (const Refused& row : ranking.refused) {
    text +=
        '\n' + std::to_string(row.count) + ' ' + to_text(row.nearest) + ' ' + to_text(row.reason);
  }
  return text;
}

SearchRequest request_of(const Case& drawn) {
  Random random(drawn.seed);
  SearchRequest request;
  request.ranks = std::min(random.pick<std::int64_t>({1, 4, 6, 8, 12, 16}), drawn.cluster.ranks());
  request.training = drawn.training;
  request.objective = random.pick({Objective::time, Objective::throughput, Objective::memory});
  request.space.most_axes = 2;
  request.base.overlap = drawn.strategy.overlap;
  return request;
}

Ranking run(const Case& drawn, SearchRequest request, unsigned threads) {
  request.threads = threads;
  return search(drawn.graph, drawn.cluster, drawn.profile, request);
}

/// Searches on every `step`-th case.
template <typename Check>
void on_searches(std::uint64_t step, Check check) {
  std::int64_t considered = 0;
  for (std::uint64_t seed = 0; seed < kImages.count && !testing::Test::HasFailure();
       seed += step * kStride) {
    const Case drawn = random_case(seed);
    SCOPED_TRACE(to_text(drawn));
    const SearchRequest request = request_of(drawn);
    const Ranking ranking = run(drawn, request, 1);
    considered += ranking.considered;
    check(drawn, request, ranking);
  }
  EXPECT_GE(considered, enough(1000));
}

TEST(SearchLaws, AnyNumberOfThreadsGivesOneAnswer) {
  on_searches(20, [](const Case& drawn, const SearchRequest& request, const Ranking& ranking) {
    for (const unsigned threads : {1U, 2U, 3U}) {
      EXPECT_EQ(to_text(run(drawn, request, threads)), to_text(ranking)) << threads << " threads";
    }
  });
}

TEST(SearchLaws, EveryStrategyOfTheSpaceIsACandidateOrRefused) {
  on_searches(20, [](const Case& drawn, const SearchRequest& request, const Ranking& ranking) {
    const std::size_t space = strategy_space(request.ranks, request.training.batch, request.base,
                                             on_network(drawn.graph, request.space))
                                  .size();
    std::int64_t refused = 0;
    for (const Refused& row : ranking.refused) refused += row.count;
    EXPECT_EQ(static_cast<std::int64_t>(space), ranking.considered);
    EXPECT_EQ(static_cast<std::int64_t>(ranking.candidates.size()) + refused, ranking.considered);
  });
}

TEST(SearchLaws, TheFirstIsTheBestThatEvaluateFinds) {
  on_searches(20, [](const Case& drawn, const SearchRequest& request, const Ranking& ranking) {
    const Fits* best = nullptr;
    std::vector<Evaluation> all;
    const SpaceOptions space = on_network(drawn.graph, request.space);
    for (const Strategy& cuts :
         strategy_space(request.ranks, request.training.batch, request.base, space)) {
      for (const Strategy& strategy : with_every_saving(cuts, request.training.batch, space)) {
        all.push_back(
            evaluate(drawn.graph, drawn.cluster, drawn.profile, strategy, request.training));
      }
    }
    for (const Evaluation& evaluation : all) {
      const Fits* fits = evaluation.fits();
      if (fits == nullptr) continue;
      const bool better = best == nullptr || (request.objective == Objective::memory
                                                  ? fits->memory.total() < best->memory.total()
                                                  : fits->step.time < best->step.time);
      if (better) best = fits;
    }
    ASSERT_EQ(best == nullptr, ranking.candidates.empty());
    if (best == nullptr) return;
    if (request.objective == Objective::memory) {
      EXPECT_EQ(ranking.candidates.front().memory, best->memory.total());
    } else {
      EXPECT_EQ(ranking.candidates.front().step.time, best->step.time);
    }
  });
}

}  // namespace properties_search_test
}  // namespace oracle
