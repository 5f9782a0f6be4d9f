// A distributed run equals the serial one and sends what the plan says, for random transformers and
// strategies.

#include <gtest/gtest.h>
#include <map>
#include <optional>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "oracle/base/error.h"
#include "tests/properties/random_text.h"
#include "tests/properties/stride.h"
#include "tests/validate/runs.h"

namespace oracle {
namespace random_texts_test {

constexpr std::uint64_t kCases = 250;
constexpr std::int64_t kMostRanks = 4;

/// Nothing where the strategy has no plan, or a layer no kernel.
std::optional<Outcome> run(const Graph& graph, const Strategy& strategy, std::int64_t batch) {
  RunOptions options;
  options.batch = batch;
  options.backend = [] { return make_cpu_backend(1); };
  const auto plan = partition(graph, strategy, training_of(batch), flat_cluster());
  if (std::holds_alternative<Infeasible>(plan)) return std::nullopt;
  try {
    return run_both(graph, to_text(strategy), options);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void expect_equal(const Outcome& outcome) {
  ASSERT_TRUE(outcome.check.has_value());
  EXPECT_TRUE(outcome.check->missing.empty());
  EXPECT_TRUE(outcome.check->holds()) << outcome.check->worst()->name;
  // A rank counts whole bytes, and its share of a ring need not be.
  EXPECT_NEAR(outcome.sent_bytes, outcome.item_bytes, 8);
  EXPECT_EQ(outcome.unplanned_bytes, 0);
  for (const ItemOutcome& item : outcome.items) {
    EXPECT_DOUBLE_EQ(item.sent_bytes, item.plan_bytes) << item.name;
  }
}

TEST(Equivalence, HoldsForRandomTexts) {
  int cut = 0, in_shards = 0, computed_again = 0, in_chunks = 0;
  std::map<Cut, int> cuts;
  for (std::uint64_t seed = 0; seed < kCases && !testing::Test::HasFailure(); seed += kStride) {
    Random random(seed);
    const Graph graph = random_text_graph(random);
    const Strategy strategy = random_text_strategy(random, kMostRanks);
    const std::int64_t batch = random.whole(4, 12);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + to_text(strategy) + ", batch " +
                 std::to_string(batch) + ", " + std::to_string(graph.size()) + " layers");
    const std::optional<Outcome> outcome = run(graph, strategy, batch);
    if (!outcome) continue;
    expect_equal(*outcome);
    if (strategy.ranks() == 1) continue;
    ++cut;
    in_shards += strategy.zero > 0 ? 1 : 0;
    computed_again += strategy.recompute.empty() ? 0 : 1;
    in_chunks += strategy.chunks > 1 ? 1 : 0;
    for (const MeshAxis& axis : strategy.mesh) cuts[axis.cut] += axis.degree > 1 ? 1 : 0;
  }
  EXPECT_GE(cut, enough(40));
  EXPECT_GE(in_shards, enough(20));
  EXPECT_GE(computed_again, enough(15));
  EXPECT_GE(in_chunks, enough(2));
  for (const Cut each : {Cut::sample, Cut::context, Cut::ring, Cut::ulysses, Cut::filter,
                         Cut::alternate, Cut::alternate_sequence, Cut::pipeline}) {
    EXPECT_GE(cuts[each], enough(2)) << static_cast<int>(each);
  }
}

}  // namespace random_texts_test
}  // namespace oracle
