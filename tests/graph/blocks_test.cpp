#include "oracle/graph/blocks.h"

#include <gtest/gtest.h>

#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace blocks_test {

TEST(BlockOf, EndsWithTheFirstNumber) {
  EXPECT_EQ(block_of("layers.3.norm1"), "layers.3.");
  EXPECT_EQ(block_of("layer1.0.conv2"), "layer1.0.");
  EXPECT_EQ(block_of("embed"), "");
  EXPECT_EQ(block_of("features.7"), "");
}

TEST(Blocks, OfTransformersAreAlike) {
  const Graph gpt3 = load_model("gpt3_175b");
  ASSERT_EQ(gpt3.runs.size(), 1U);
  EXPECT_EQ(gpt3.runs[0].count, 96U);
  EXPECT_EQ(gpt3.runs[0].size, 12U);
  // Three blocks without experts, then those with.
  const Graph deepseek = load_model("deepseek_v3");
  ASSERT_EQ(deepseek.runs.size(), 2U);
  EXPECT_EQ(deepseek.runs[0].count, 3U);
  EXPECT_EQ(deepseek.runs[1].count, 58U);
}

TEST(Blocks, LayersAreAlikeFromTheThirdOn) {
  const Graph gpt3 = load_model("gpt3_175b");
  const std::vector<LayerId> alike = layers_alike(gpt3);
  const LayerId third = gpt3.runs[0].first + 24, end = gpt3.runs[0].end();
  for (LayerId id = 0; id < gpt3.size(); ++id) {
    EXPECT_EQ(alike[id], id >= third && id < end ? id - 12 : 0) << gpt3[id].name;
  }
}

TEST(Blocks, AreNumbered) {
  const Graph gpt3 = load_model("gpt3_175b");
  for (LayerId id = 0; id < gpt3.size(); ++id) {
    const BlockRun& run = gpt3.runs[0];
    const bool in_block = id >= run.first && id < run.end();
    EXPECT_EQ(gpt3.block(id), in_block ? (id - run.first) / run.size + 1 : 0) << gpt3[id].name;
  }
}

TEST(Blocks, OfOtherFeaturesAreNotAlike) {
  for (const BlockRun& run : load_model("resnet50").runs) EXPECT_LE(run.count, 5U);
}

}  // namespace blocks_test
}  // namespace oracle
