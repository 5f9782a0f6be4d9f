#include "oracle/plan/assignment.h"

#include <gtest/gtest.h>
#include <optional>
#include <variant>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace assignment_test {

std::optional<Plan> plan_of(const Graph& graph, const char* strategy) {
  const Training training{64, precision_named("bf16"), optimizer_named("adam")};
  auto planned =
      partition_in_one_stage(graph, parse_strategy(strategy), training, load_cluster("dgx-h100"));
  if (auto* plan = std::get_if<Plan>(&planned)) return std::move(*plan);
  return std::nullopt;
}

/// What a layer has of the block before it is what it gets on its own.
TEST(Assignment, OfLayersThatAreAlikeIsThatOfEachAlone) {
  int planned = 0;
  for (const char* model : {"gpt3_175b", "t5_large", "mixtral_8x7b", "resnet50", "vit_b"}) {
    const Graph graph = load_model(model);
    Graph without_runs = graph;
    without_runs.runs.clear();
    without_runs.alike.clear();
    for (const char* strategy : {"data:4,tensor:8", "data:2,context:4", "filter:4,data:2",
                                 "spatial:4", "channel:8", "*.3.*=filter:8; *=data:8"}) {
      const std::optional<Plan> plan = plan_of(graph, strategy);
      const std::optional<Plan> other = plan_of(without_runs, strategy);
      ASSERT_EQ(plan.has_value(), other.has_value()) << model << ' ' << strategy;
      if (!plan) continue;
      ++planned;
      EXPECT_EQ(plan->assignment.effects, other->assignment.effects) << model << ' ' << strategy;
      for (LayerId id = 0; id < graph.size(); ++id) {
        const Piece &piece = plan->pieces[id], &alone = other->pieces[id];
        EXPECT_EQ(piece.input, alone.input) << model << ' ' << strategy << ' ' << graph[id].name;
        EXPECT_EQ(piece.output, alone.output);
        EXPECT_EQ(piece.reduction, alone.reduction);
        EXPECT_EQ(piece.weights, alone.weights);
        EXPECT_EQ(piece.shared, alone.shared);
        EXPECT_EQ(piece.redundancy, alone.redundancy);
      }
    }
  }
  EXPECT_GE(planned, 15);
}

}  // namespace assignment_test
}  // namespace oracle
