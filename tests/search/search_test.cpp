#include "oracle/search/search.h"

#include <gtest/gtest.h>
#include <map>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace search_search_test {

const Graph kChain = dense_chain({64, 24, 64, 24}, true);

SearchRequest request_of(std::int64_t ranks, std::int64_t batch) {
  SearchRequest request;
  request.ranks = ranks;
  request.training = training_of(batch);
  request.threads = 1;
  return request;
}

Ranking ranked(const SearchRequest& request, const Cluster& cluster = flat_cluster()) {
  return search(kChain, cluster, Profile{}, request);
}

/// Every evaluation of the space, in its order.
std::vector<Evaluation> everything(const SearchRequest& request, const Cluster& cluster) {
  std::vector<Evaluation> all;
  for (const Strategy& strategy : strategy_space(request.ranks, request.training.batch,
                                                 request.base, on_network(kChain, request.space))) {
    all.push_back(evaluate(kChain, cluster, Profile{}, strategy, request.training));
  }
  return all;
}

TEST(Search, ConsidersTheWholeSpace) {
  const SearchRequest request = request_of(16, 64);
  const Ranking ranking = ranked(request);
  std::int64_t fitting = 0, refused = 0;
  for (const Evaluation& evaluation : everything(request, flat_cluster())) {
    (evaluation.fits() != nullptr ? fitting : refused) += 1;
  }
  EXPECT_EQ(ranking.considered, fitting + refused);
  EXPECT_EQ(static_cast<std::int64_t>(ranking.candidates.size()), fitting);
  std::int64_t counted = 0;
  for (const Refused& row : ranking.refused) counted += row.count;
  EXPECT_EQ(counted, refused);
  EXPECT_GT(fitting, 0);
  EXPECT_GT(refused, 0);
}

TEST(Search, RanksByEachObjective) {
  SearchRequest request = request_of(8, 64);
  const std::vector<Evaluation> all = everything(request, flat_cluster());
  double least_time = 1e99, least_memory = 1e99, most_samples = 0;
  for (const Evaluation& evaluation : all) {
    const Fits* fits = evaluation.fits();
    if (fits == nullptr) continue;
    least_time = std::min(least_time, fits->step.time.value);
    least_memory = std::min(least_memory, fits->memory.total().value);
    most_samples = std::max(most_samples, fits->samples_per_second);
  }
  request.objective = Objective::time;
  const Ranking by_time = ranked(request);
  EXPECT_EQ(by_time.candidates.front().step.time.value, least_time);
  for (std::size_t i = 1; i < by_time.candidates.size(); ++i) {
    EXPECT_LE(by_time.candidates[i - 1].step.time, by_time.candidates[i].step.time);
  }
  request.objective = Objective::memory;
  const Ranking by_memory = ranked(request);
  EXPECT_EQ(by_memory.candidates.front().memory.value, least_memory);
  for (std::size_t i = 1; i < by_memory.candidates.size(); ++i) {
    EXPECT_LE(by_memory.candidates[i - 1].memory, by_memory.candidates[i].memory);
  }
  request.objective = Objective::throughput;
  EXPECT_EQ(ranked(request).candidates.front().samples_per_second, most_samples);
  EXPECT_EQ(name_of(Objective::time), "time");
  EXPECT_EQ(name_of(Objective::throughput), "throughput");
  EXPECT_EQ(name_of(Objective::memory), "memory");
}

TEST(Search, GroupsRefusalsAndNamesTheNearest) {
  SearchRequest request = request_of(32, 16);
  const Ranking ranking = ranked(request);
  std::map<Constraint, std::int64_t> counts;
  std::map<Constraint, double> nearest;
  for (const Evaluation& evaluation : everything(request, flat_cluster())) {
    const Infeasible* refusal = evaluation.infeasible();
    if (refusal == nullptr) continue;
    const double shortfall = refusal->needed / refusal->available;
    if (counts[refusal->constraint]++ == 0) nearest[refusal->constraint] = shortfall;
    nearest[refusal->constraint] = std::min(nearest[refusal->constraint], shortfall);
  }
  ASSERT_GE(ranking.refused.size(), 2U);
  EXPECT_EQ(ranking.refused.size(), counts.size());
  for (std::size_t i = 0; i < ranking.refused.size(); ++i) {
    const Refused& row = ranking.refused[i];
    EXPECT_EQ(row.count, counts[row.constraint]);
    EXPECT_EQ(row.reason.constraint, row.constraint);
    EXPECT_EQ(row.reason.needed / row.reason.available, nearest[row.constraint]);
    EXPECT_LE(row.count, ranking.refused[i == 0 ? 0 : i - 1].count);
  }
}

std::vector<std::string> order_of(const Ranking& ranking) {
  std::vector<std::string> texts;
  for (const Candidate& candidate : ranking.candidates)
    texts.push_back(to_text(candidate.strategy));
  return texts;
}

TEST(Search, DoesNotDependOnThreads) {
  SearchRequest request = request_of(16, 64);
  const std::vector<std::string> alone = order_of(ranked(request));
  request.threads = 4;
  EXPECT_EQ(order_of(ranked(request)), alone);
  request.threads = 0;
  EXPECT_EQ(order_of(ranked(request)), alone);
}

TEST(Search, StopsWhenTold) {
  SearchRequest request = request_of(64, 64);
  std::int64_t total = 0;
  request.progress = [&](std::int64_t done, std::int64_t all) {
    EXPECT_LE(done, all);
    total = all;
    return false;
  };
  const Ranking ranking = ranked(request);
  EXPECT_GT(ranking.considered, 0);
  EXPECT_LT(ranking.considered, total);
}

TEST(Search, FindsNothingWhereNothingFits) {
  Cluster cluster = flat_cluster();
  cluster.device.memory = Bytes{1000};
  const Ranking ranking = ranked(request_of(4, 64), cluster);
  EXPECT_TRUE(ranking.candidates.empty());
  ASSERT_FALSE(ranking.refused.empty());
  EXPECT_EQ(ranking.refused.front().constraint, Constraint::memory);
}

TEST(Search, RefusesMoreRanksThanThereAre) {
  const Ranking ranking = ranked(request_of(1'000'000'000, 64));
  EXPECT_TRUE(ranking.candidates.empty());
  ASSERT_EQ(ranking.refused.size(), 1U);
  EXPECT_EQ(ranking.refused.front().constraint, Constraint::ranks);
}

}  // namespace search_search_test
}  // namespace oracle
