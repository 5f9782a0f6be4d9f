#include "oracle/evaluate/one_stage.h"

#include <gtest/gtest.h>

#include "oracle/evaluate/balance.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "tests/graph/taking_turns.h"

namespace oracle {
namespace one_stage_test {

/// Of blocks that stand for others, every layer has the price that it has among all of them.
TEST(OneStage, PricesEachLayerAsTheWholeNetworkDoes) {
  const Cluster cluster = load_cluster("dgx-a100");
  const Profile profile;
  for (const Graph& graph : {load_model("gpt2_large"), load_model("llama3_8b"),
                             load_model("mixtral_8x7b"), taking_turns(50, 6)}) {
    const std::string& name = graph.name;
    const Training training{64, precision_named("bf16"), optimizer_named("adam")};
    for (const char* text :
         {"data:8", "tensor:4,data:2", "data:2,tensor_sequence:4; recompute=full",
          "data:8; zero=3; regather=on", "context:2,data:4; micro_batches=2",
          "data:8; recompute=except:*.q|*.v|*.attention|*.gate|*.down"}) {
      const Strategy strategy = parse_strategy(text);
      PlanPricer pricer(graph, cluster, profile);
      OneStage one_stage({graph, cluster, profile}, pricer);
      ASSERT_NE(one_stage.plan(strategy, training), nullptr) << name << ' ' << text;
      EXPECT_LT(one_stage.graph().size(), graph.size());
      const Plan plan = *one_stage.plan(strategy, training);
      const std::vector<Seconds> costs = one_stage.expand(
          layer_costs(one_stage.graph(), plan.stages.front(), one_stage.price(), Passes::all));
      const Plan whole = std::get<Plan>(partition_in_one_stage(graph, strategy, training, cluster));
      Prices prices;
      pricer.price_passes(whole, prices);
      const std::vector<Seconds> expected =
          layer_costs(graph, whole.stages.front(), prices.stages.front(), Passes::all);
      for (LayerId id = 0; id < graph.size(); ++id) {
        EXPECT_NEAR(costs[id].value, expected[id].value, 1e-9 * expected[id].value)
            << name << ' ' << text << ' ' << graph[id].name;
      }
    }
  }
}

}  // namespace one_stage_test
}  // namespace oracle
