#include "oracle/io/jobs/megatron_modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/io/models/model_reader.h"
#include "oracle/plan/recompute.h"

namespace oracle::megatron {
namespace megatron_modules_test {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// Of the first block with experts, what backward makes again.
std::vector<std::string> discarded(std::string_view modules) {
  std::vector<std::string> unknown;
  const std::string what = recomputation_of(modules, unknown);
  EXPECT_TRUE(unknown.empty());
  const Graph graph = load_model("deepseek_v3");
  const Recomputation made = recomputation(graph, what);
  constexpr std::string_view kBlock = "layers.3.";
  std::vector<std::string> names;
  for (LayerId id = 0; id < graph.size(); ++id) {
    const std::string& name = graph[id].name;
    if (!name.starts_with(kBlock) || !made.covers(id) || made.keeps(id)) continue;
    names.push_back(name.substr(kBlock.size()));
  }
  return names;
}

TEST(MegatronModules, OfSomeTheOutputsAreDiscarded) {
  EXPECT_THAT(discarded("layernorm"), ElementsAre("norm1", "norm2"));
  EXPECT_THAT(discarded("['layernorm', 'moe_act']"), ElementsAre("norm1", "norm2", "experts.act"));
  EXPECT_THAT(discarded("mla_up_proj"), UnorderedElementsAre("q_norm", "q", "q_rotary", "kv_norm",
                                                             "k", "k_rotary", "k_joined", "v"));
}

TEST(MegatronModules, OthersRunWholeAndKeepTheirOutput) {
  EXPECT_THAT(discarded("core_attn moe"),
              UnorderedElementsAre("router", "router_correction", "scores", "dispatch",
                                   "experts.gate", "experts.up", "experts.act", "experts.down",
                                   "shared.gate", "shared.up", "shared.act", "shared.down"));
  EXPECT_THAT(discarded("shared_experts"), ElementsAre("shared.gate", "shared.up", "shared.act"));
  EXPECT_TRUE(discarded("mlp").empty()) << "a block with experts has no other MLP";
}

TEST(MegatronModules, AttentionAloneIsSelective) {
  std::vector<std::string> unknown;
  EXPECT_EQ(recomputation_of("['core_attn']", unknown), "selective");
  EXPECT_EQ(recomputation_of("", unknown), "selective");
  EXPECT_EQ(recomputation_of("other", unknown), "");
  EXPECT_THAT(unknown, ElementsAre("other"));
}

}  // namespace megatron_modules_test
}  // namespace oracle::megatron
