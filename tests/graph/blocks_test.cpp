#include "oracle/graph/blocks.h"

#include <gtest/gtest.h>

#include "oracle/io/models/model_reader.h"
#include "tests/graph/taking_turns.h"

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

TEST(Blocks, ThatTakeTurnsAreComparedInTurn) {
  // Two in a row, 12 times.
  const Graph turns = taking_turns(24, 2);
  ASSERT_EQ(turns.runs.size(), 1U);
  EXPECT_EQ(turns.runs[0].count, 12U);
  EXPECT_EQ(turns.block(turns.runs[0].end() - 1), 24U);
  // Six in a row, ten times, and the first two of them again.
  const Graph gemma = taking_turns(62, 6);
  ASSERT_EQ(gemma.runs.size(), 2U);
  EXPECT_EQ(gemma.runs[0].count, 10U);
  EXPECT_EQ(gemma.runs[1].count, 2U);
  for (LayerId id = gemma.runs[0].first + 2 * gemma.runs[0].size; id < gemma.runs[0].end(); ++id) {
    EXPECT_EQ(gemma.like(id), id - gemma.runs[0].size);
  }
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
