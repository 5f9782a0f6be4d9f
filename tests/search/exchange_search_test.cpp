#include "oracle/search/exchange_search.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/plan/exchanges/gradient_exchange.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace exchange_search_test {

Ranking found(double bandwidth, std::int64_t ranks = 8) {
  const Graph graph = dense_chain({512, 512, 512});
  Cluster cluster = flat_cluster();
  cluster.levels.front().uplink.bandwidth = Bandwidth{bandwidth};
  cluster.levels.front().uplink.flow_limit = Bandwidth{bandwidth};
  SearchRequest request;
  request.ranks = ranks;
  request.training = training_of(64);
  return search_exchanges(graph, cluster, {}, request);
}

double step_of(const Ranking& ranking, const std::string& options) {
  const std::string whole = "data:8; " + options;
  for (const Candidate& candidate : ranking.candidates) {
    if (to_text(candidate.strategy) == whole) return candidate.step.time.value;
  }
  ADD_FAILURE() << options;
  return 0;
}

TEST(ExchangeSearch, TriesEveryRowOfTheTable) {
  const std::vector<std::string> options = exchanges_on(8);
  for (const GradientExchange& row : all_gradient_exchanges()) {
    EXPECT_TRUE(std::any_of(options.begin(), options.end(), [&](const std::string& one) {
      return chosen_exchange(parse_strategy("data:8; " + one).exchange).row == &row;
    })) << row.name;
  }
  EXPECT_EQ(std::count(options.begin(), options.end(), "exchange=servers:8; staleness=any"), 1);
  EXPECT_EQ(std::count(options.begin(), options.end(), "exchange=servers:4"), 1);
  EXPECT_EQ(exchanges_on(1).back(), "exchange=servers:1; staleness=any");
}

TEST(ExchangeSearch, PutsTheShortestStepFirst) {
  const Ranking ranking = found(1e9);
  EXPECT_EQ(ranking.considered,
            ranking.fitting + static_cast<std::int64_t>(ranking.refused.size()));
  EXPECT_TRUE(std::is_sorted(ranking.candidates.begin(), ranking.candidates.end(),
                             [](const Candidate& one, const Candidate& other) {
                               return one.step.time < other.step.time;
                             }));
}

TEST(ExchangeSearch, FindsThatASlowNetworkPaysForCompression) {
  const Ranking slow = found(0.1e9), fast = found(1000e9);
  EXPECT_LT(step_of(slow, "exchange=topk:1%"), step_of(slow, "exchange=servers:8") / 4);
  const auto part = [](const Ranking& ranking) {
    return step_of(ranking, "exchange=topk:1%") / step_of(ranking, "exchange=servers:8");
  };
  EXPECT_GT(part(fast), 3 * part(slow)) << "where latency alone is left to save";
}

}  // namespace exchange_search_test
}  // namespace oracle
