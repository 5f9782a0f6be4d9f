#include "oracle/plan/condensed.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "oracle/io/models/model_reader.h"
#include "tests/graph/taking_turns.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace condensed_test {

TEST(Condensed, KeepsFourBlocksOfARun) {
  const Graph graph = load_model("gpt3_175b");
  const Condensed made = *condense(graph);
  EXPECT_EQ(graph.size(), 1158U);
  EXPECT_EQ(made.graph.size(), 54U);
  EXPECT_EQ(std::accumulate(made.times.begin(), made.times.end(), std::int64_t{0}), 1158);
}

TEST(Condensed, KeepsFourTurnsOfBlocksThatTakeTurns) {
  const Graph graph = taking_turns(48, 6);
  const Condensed made = *condense(graph);
  EXPECT_EQ(made.graph.runs[0].size * 4, made.graph.runs[0].end() - made.graph.runs[0].first);
  EXPECT_EQ(std::count(made.times.begin(), made.times.end(), 5), graph.runs[0].size);
}

TEST(Condensed, HasTheParametersAndOperationsOfTheWhole) {
  for (const char* name : {"gpt2_xl", "llama3_8b", "mixtral_8x7b", "deepseek_v3", "bert_large",
                           "qwen3_30b_a3b", "t5_large", "vit_b", "swin_t", "resnet152", ""}) {
    const bool is_named = name[0] != '\0';
    const Graph graph = is_named ? load_model(name) : taking_turns(50, 6);
    const std::optional<Condensed> condensed = condense(graph);
    if (!condensed) continue;
    const Condensed& made = *condensed;
    std::int64_t parameters = 0;
    double flops = 0;
    for (LayerId id = 0; id < made.graph.size(); ++id) {
      parameters += made.graph[id].parameters() * made.times[id];
      flops += made.graph[id].multiply_adds() * static_cast<double>(made.times[id]);
    }
    EXPECT_EQ(parameters, graph.parameters()) << name;
    EXPECT_NEAR(flops, graph.multiply_adds(), 1e-9 * flops) << name;
    for (LayerId id = 0; id < graph.size(); ++id) {
      EXPECT_EQ(made.graph[made.of[id]].kind, graph[id].kind) << name;
      EXPECT_EQ(made.graph[made.of[id]].output, graph[id].output) << name;
    }
  }
}

/// Of three blocks and the last, what reads another layer or has other features is no stand-in.
TEST(Condensed, LeavesOutNoBlockThatDiffers) {
  const auto chain = [](std::int64_t odd) {
    GraphBuilder builder("blocks");
    LayerId last = builder.input(shape_of(8));
    for (std::int64_t b = 0; b < 17; ++b) {
      const std::string block = "blocks." + std::to_string(b) + ".";
      last = builder.add(block + "up", "dense", {last}, {{"features", b == odd ? 32L : 16L}});
      last = builder.add(block + "down", "dense", {last}, {{"features", std::int64_t{8}}});
    }
    builder.add("loss", "softmax_loss", {last});
    return builder.finish();
  };
  EXPECT_EQ(condense(chain(-1))->graph.size(), 2U + 2 * 4);
  // Eight before it, and as many after it.
  EXPECT_EQ(condense(chain(8))->graph.size(), 2U + 2 * (4 + 1 + 4));
  EXPECT_EQ(condense(chain(16))->graph.size(), 2U + 2 * (4 + 1));
  // Seven before it are too few.
  EXPECT_EQ(condense(chain(7))->graph.size(), 2U + 2 * (7 + 1 + 4));
}

TEST(Condensed, KeepsAllOfFewBlocks) {
  EXPECT_FALSE(condense(load_model("resnet50")).has_value());
  EXPECT_FALSE(condense(load_model("vgg16")).has_value());
  EXPECT_FALSE(condense(load_model("gpt_tiny")).has_value());
}

TEST(Condensed, KnowsWhetherNamesMatter) {
  EXPECT_TRUE(names_no_blocks(parse_strategy("data:2,tensor:4; recompute=full")));
  EXPECT_TRUE(names_no_blocks(parse_strategy("data:2; recompute=except:*.q|*.attention")));
  EXPECT_FALSE(names_no_blocks(parse_strategy("tensor:4; recompute=layers.1.*")));
  EXPECT_FALSE(names_no_blocks(parse_strategy("layers.1.*=tensor:4")));
}

}  // namespace condensed_test
}  // namespace oracle
