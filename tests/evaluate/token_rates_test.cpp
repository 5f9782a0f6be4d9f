#include "oracle/evaluate/token_rates.h"

#include <gtest/gtest.h>

#include "oracle/graph/adapters.h"
#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace token_rates_test {

/// A step of one second of that batch.
Evaluation one_second(std::int64_t batch, std::int64_t ranks) {
  Fits fits;
  fits.step.time = Seconds{1};
  fits.samples_per_second = static_cast<double>(batch);
  Evaluation evaluation;
  evaluation.training.batch = batch;
  evaluation.ranks = ranks;
  evaluation.result = fits;
  return evaluation;
}

TEST(TokenRates, CountForwardThreeTimes) {
  const Graph graph = load_model("gpt_tiny");
  Cluster cluster = flat_cluster();
  cluster.device.peak[static_cast<std::size_t>(DataType::fp32)] = FlopRate{100e12};
  const auto rates = token_rates(graph, cluster, one_second(8, 2));
  ASSERT_TRUE(rates);
  EXPECT_EQ(rates->tokens, 8 * 128);
  EXPECT_EQ(rates->tokens_per_rank, 4 * 128);
  EXPECT_DOUBLE_EQ(rates->per_rank.value, 3 * 2 * graph.multiply_adds() * 8 / 2);
  EXPECT_DOUBLE_EQ(rates->utilization, rates->per_rank.value / 100e12);
}

/// Forward, the gradients of inputs, and those of an adapter's weights.
TEST(TokenRates, OfWhatStaysCountNoGradientOfWeights) {
  const Graph whole = load_model("gpt_tiny"), adapted = with_adapters(whole, 8);
  const auto rates = token_rates(adapted, flat_cluster(), one_second(8, 1));
  ASSERT_TRUE(rates);
  EXPECT_FALSE(rates->trains_all);
  EXPECT_GT(rates->per_rank.value, 3.5 * whole.multiply_adds() * 8);
  EXPECT_LT(rates->per_rank.value, 5 * whole.multiply_adds() * 8);
}

TEST(TokenRates, AreNoneOfImages) {
  EXPECT_FALSE(token_rates(dense_chain({4, 4}), flat_cluster(), one_second(8, 2)));
}

}  // namespace token_rates_test
}  // namespace oracle
