// Attention, written out: by heads one sum for each direction, as Megatron has it; by tokens keys
// and values are gathered.

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace attention_test {

constexpr std::int64_t kHeads = 4, kTokens = 6, kWidth = 32;

Graph attention() {
  GraphBuilder builder("attention");
  const LayerId input = builder.input(shape_of(kWidth, {kTokens}));
  const LayerId x = builder.add("x", "activation", {input});
  const LayerId q = builder.add("q", "convolution", {x}, conv1x1(kWidth));
  const LayerId k = builder.add("k", "convolution", {x}, conv1x1(kWidth));
  const LayerId v = builder.add("v", "convolution", {x}, conv1x1(kWidth));
  const LayerId scores =
      builder.add("scores", "matmul", {q, k}, {{"features", kHeads * kTokens}, {"groups", kHeads}});
  const LayerId shares = builder.add("shares", "softmax", {scores}, {{"groups", kHeads}});
  const LayerId mixed =
      builder.add("mixed", "matmul", {shares, v}, {{"features", kWidth}, {"groups", kHeads}});
  const LayerId out = builder.add("out", "convolution", {mixed}, conv1x1(kWidth));
  builder.add("loss", "softmax_loss", {out});
  return builder.finish();
}

TEST(Attention, IsCutByHeads) {
  const Graph graph = attention();
  const Plan plan = plan_of(graph, "tensor:4", 2);
  for (const char* name : {"scores", "shares", "mixed"}) {
    const Piece& piece = plan.pieces[id_of(graph, name)];
    EXPECT_EQ(piece.redundancy, 1) << name;
    EXPECT_EQ(piece.groups, 1) << name;
    EXPECT_EQ(piece.output.channels(), graph[id_of(graph, name)].output.channels() / 4) << name;
  }
  // 2 samples · 6 tokens · 32 channels · 4 bytes, summed once behind the last product.
  EXPECT_EQ(transfers(graph, plan, Phase::forward),
            (std::vector<std::string>{"all_reduce{0} 1536 B of out: activation"}));
}

// Each rank has the queries of its tokens, and gathers keys and values: 2 samples · 6 tokens ·
// 32 channels · 4 bytes each.
TEST(Attention, IsShardedByTokens) {
  const Graph graph = attention();
  const Plan plan = plan_of(graph, "width:2", 2);
  for (const char* name : {"scores", "shares", "mixed"}) {
    EXPECT_EQ(plan.pieces[id_of(graph, name)].redundancy, 1) << name;
    EXPECT_EQ(plan.pieces[id_of(graph, name)].output[Axis::width], 3) << name;
  }
  EXPECT_EQ(transfers(graph, plan, Phase::forward),
            (std::vector<std::string>{"all_gather{0} 1536 B of k: activation",
                                      "all_gather{0} 1536 B of v: activation"}));
  EXPECT_EQ(transfers(graph, plan, Phase::backward),
            (std::vector<std::string>{"reduce_scatter{0} 1536 B of v: activation gradient",
                                      "reduce_scatter{0} 1536 B of k: activation gradient"}));
}

TEST(Attention, StaysWholeWhereHeadsWouldBeCutApart) {
  const Graph graph = attention();
  const Plan plan = plan_of(graph, "tensor:8", 2);
  EXPECT_EQ(plan.pieces[id_of(graph, "shares")].redundancy, 8);
}

}  // namespace attention_test
}  // namespace oracle
