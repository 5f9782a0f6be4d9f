#include "oracle/graph/linears.h"

#include <gtest/gtest.h>
#include <vector>

#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace linears_test {

std::vector<std::string> linears_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Layer& layer : graph.layers) {
    if (layer.linear) names.push_back(layer.name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Linears, OfAGptAreThoseOfItsBlocks) {
  const Names names = linears_of(load_model("gpt_tiny"));
  EXPECT_EQ(names.size(), 2U * 6);
  for (const std::string& name : names) EXPECT_TRUE(name.starts_with("layers.")) << name;
}

TEST(Linears, AreNoRoutersAndNoGateOfSharedExperts) {
  for (const std::string& name : linears_of(load_model("mixtral_8x7b"))) {
    EXPECT_EQ(name.find("router"), std::string::npos) << name;
    EXPECT_NE(name, "head");
  }
  const Graph moe = load_model("deepseek_v3");
  int experts = 0;
  for (const Layer& layer : moe.layers) {
    if (layer.routed != Routed::expert) continue;
    EXPECT_TRUE(layer.linear) << layer.name;
    ++experts;
  }
  EXPECT_EQ(experts, 58 * 3);
}

/// Nor heads, whose scores no token goes by.
TEST(Linears, RoutersAreKnown) {
  for (const char* model : {"mixtral_8x7b", "deepseek_v3"}) {
    const Graph graph = load_model(model);
    for (const Layer& layer : graph.layers) {
      EXPECT_EQ(layer.stays_whole, layer.name.ends_with(".router")) << layer.name;
    }
  }
}

TEST(Linears, TheWeightOfSharedExpertsStaysWhole) {
  for (const Layer& layer : load_model("qwen3_next_80b").layers) {
    const bool whole = layer.name.ends_with(".router") || layer.name.ends_with(".shared.score");
    EXPECT_EQ(layer.stays_whole, whole) << layer.name;
  }
}

TEST(Linears, MakeNoScoresThroughWhatLeavesValuesApart) {
  EXPECT_EQ(linears_of(dense_chain({32, 64, 48}, true)), Names{"fc1"});
  GraphBuilder builder("scaled");
  const LayerId first = builder.add("first", "dense", {builder.input(shape_of(32))},
                                    {{"features", std::int64_t{32}}});
  const LayerId last = builder.add("last", "dense", {first}, {{"features", std::int64_t{32}}});
  builder.add("loss", "softmax_loss", {builder.add("tanh", "activation", {last})});
  EXPECT_EQ(linears_of(builder.finish()), Names{"first"});
}

TEST(Linears, HaveFeaturesIn16s) {
  EXPECT_EQ(linears_of(dense_chain({32, 40, 48, 64, 10})), (Names{"fc3"}));
  EXPECT_TRUE(linears_of(load_model("resnet50")).empty());
}

}  // namespace linears_test
}  // namespace oracle
