#include "oracle/plan/exchanges/averaging.h"

#include <gtest/gtest.h>

#include "oracle/cost/price.h"
#include "oracle/memory/footprint.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace averaging_test {

TEST(Averaging, StandsBehindTheUpdate) {
  const Graph graph = dense_chain({50, 20});
  const Plan plan = plan_of(graph, "data:4; exchange=local:8", 8);
  EXPECT_EQ(transfers(graph, plan, Phase::exchange),
            std::vector<std::string>{"all_reduce{0} 4000 B of fc1: weight"});
  const Stage& stage = plan.stages[0];
  const Item& average = stage.items.back();
  EXPECT_EQ(average.every, 8);
  EXPECT_EQ(stage.needs_of(average).front(), stage.update_item());
  EXPECT_EQ(stage.update_item() + 2, stage.items.size()) << "and no gradient is exchanged";
}

TEST(Averaging, CostsAPartOfItInEachStep) {
  const Graph graph = dense_chain({50, 20});
  const auto last_price = [&](const char* strategy) {
    return price(graph, plan_of(graph, strategy, 8), flat_cluster(), {}).stages[0].items.back();
  };
  const double often = last_price("data:4; exchange=local:1").time.value;
  EXPECT_GT(often, 0);
  EXPECT_DOUBLE_EQ(last_price("data:4; exchange=local:8").time.value, often / 8);
}

TEST(Averaging, HoldsItsBufferOnceBackwardIsOver) {
  const Graph graph = dense_chain({50, 20});
  const Footprint memory =
      footprint(graph, plan_of(graph, "data:4; exchange=local:8", 4), flat_cluster());
  EXPECT_EQ(memory.of(MemoryUse::communication), Bytes{4000});
  EXPECT_EQ(memory.of(MemoryUse::residuals), Bytes{});
}

TEST(Averaging, IsOfRanksWithSamplesOfTheirOwn) {
  const Graph graph = dense_chain({8, 4, 2});
  EXPECT_EQ(to_text(refusal_of(graph, "fc1=data:2; fc2=filter:2; exchange=local:4", 8)),
            "exchange=local:4 lets ranks with samples of their own train by themselves, and the "
            "gradient of fc1 is summed over others too; shard samples along one axis (data), or "
            "leave out exchange=local:4");
  EXPECT_NO_THROW(plan_of(graph, "data:2,filter:2; exchange=local:4", 8));
  EXPECT_EQ(refusal_of(graph, "data:2; exchange=local:4; zero=1", 8).constraint,
            Constraint::exchange);
}

TEST(Averaging, TakesWholeSteps) {
  EXPECT_EQ(read_period("8"), 8);
  EXPECT_THROW(chosen_exchange("local:0"), std::exception);
  EXPECT_THROW(chosen_exchange("local:1.5"), std::exception);
  EXPECT_THROW(chosen_exchange("local"), std::exception);
}

}  // namespace averaging_test
}  // namespace oracle
