// Types of transformers against the parameters that were published of one network of each.

#include "oracle/io/models/transformers/types.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "oracle/io/json/document.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/io/models/transformers/config_reader.h"
#include "tests/io/models/transformers/refusal.h"

namespace oracle::transformers {
namespace types_test {

using testing::HasSubstr;

/// A row of the file: a configuration, and how many parameters such a network has.
struct Row {
  std::string name;
  std::int64_t parameters = 0, within = 0;
  json::Document config;
};

std::vector<Row> rows() {
  std::ifstream lines(ORACLE_SOURCE_DIR "/tests/data/transformers.jsonl");
  std::vector<Row> rows;
  for (std::string line; std::getline(lines, line);) {
    const json::Document row = json::parse(line, "transformers.jsonl");
    rows.push_back({row.root.find("name")->string,
                    row.root.find("parameters")->integer,
                    row.root.find("within")->integer,
                    {"config.json", *row.root.find("config")}});
  }
  return rows;
}

const json::Document& config_of(const std::vector<Row>& rows, std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return row.config;
  }
  throw std::out_of_range(std::string(name));
}

TEST(Types, HaveThePublishedParameters) {
  const std::vector<Row> all = rows();
  EXPECT_GE(all.size(), 17U);
  for (const Row& row : all) {
    const Graph graph = read_transformer(row.config, row.name, {512, {}, {}});
    EXPECT_LE(std::abs(graph.parameters() - row.parameters), row.within) << row.name;
  }
}

TEST(Types, NormalizeBeforeAfterOrAroundAPart) {
  const std::vector<Row> all = rows();
  const auto has = [](const Graph& graph, std::string_view name) {
    const auto names = graph.layer_names();
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const Graph olmo = read_transformer(config_of(all, "olmo2_7b"), "a", {64, {}, {}});
  EXPECT_FALSE(has(olmo, "layers.0.norm1"));
  EXPECT_TRUE(has(olmo, "layers.0.norm1_after"));
  const Graph glm = read_transformer(config_of(all, "glm4_9b"), "a", {64, {}, {}});
  EXPECT_TRUE(has(glm, "layers.0.norm1"));
  EXPECT_TRUE(has(glm, "layers.0.norm1_after"));
}

TEST(Types, TurnQueriesInSomeBlocks) {
  const std::vector<Row> all = rows();
  const Architecture smol = read_architecture(config_of(all, "smollm3"));
  ASSERT_EQ(smol.unturned.size(), 36U);
  EXPECT_FALSE(smol.unturned[2]);
  EXPECT_TRUE(smol.unturned[3]);
  const Architecture exaone = read_architecture(config_of(all, "exaone32b"));
  EXPECT_EQ(exaone.window[2], 4096);
  EXPECT_FALSE(exaone.unturned[2]);
  EXPECT_EQ(exaone.window[3], 0);
  EXPECT_TRUE(exaone.unturned[3]);
  EXPECT_EQ(read_architecture(config_of(all, "minimax_m2")).rotary, 64);
  EXPECT_EQ(read_architecture(config_of(all, "glm45_air")).rotary, 64);
}

TEST(Types, HaveExpertsInSomeBlocks) {
  const std::vector<Row> all = rows();
  const Architecture ernie = read_architecture(config_of(all, "ernie21b"));
  EXPECT_FALSE(ernie.experts.in_layer[0]);
  EXPECT_TRUE(ernie.experts.in_layer[1]);
  EXPECT_EQ(ernie.experts.shared_features, 3072);
  EXPECT_EQ(read_architecture(config_of(all, "gpt_oss_20b")).window[0], 128);
}

/// A small Qwen 3, with `more` behind.
std::string qwen(const std::string& more) {
  return R"({"model_type": "qwen3", "hidden_size": 64, "vocab_size": 9, "num_hidden_layers": 2,
             "num_attention_heads": 4, "intermediate_size": 128, )" +
         more + "}";
}

TEST(Types, RefuseBlocksThatAreNotAttention) {
  EXPECT_THAT(refusal(qwen(R"("layer_types": ["linear_attention", "full_attention"])")),
              HasSubstr("\"linear_attention\" is not known here"));
  EXPECT_THAT(refusal(qwen(R"("layer_types": ["sliding_attention", "full_attention"])")),
              HasSubstr("with \"sliding_window\""));
  EXPECT_EQ(refusal(qwen(R"("layer_types": ["full_attention", "full_attention"])")), "");
}

TEST(Types, HaveLinearAttentionInSomeBlocks) {
  const std::vector<Row> all = rows();
  for (const char* name : {"qwen3_next_80b", "qwen35_35b_a3b"}) {
    const Architecture qwen = read_architecture(config_of(all, name));
    EXPECT_TRUE(qwen.linear.in_layer[2]) << name;
    EXPECT_FALSE(qwen.linear.in_layer[3]) << name;
    EXPECT_EQ(qwen.rotary, 64) << "a quarter of each head of 256";
    EXPECT_TRUE(qwen.gated_attention);
    EXPECT_FALSE(qwen.linear.decay);
  }
  const Architecture granite = read_architecture(config_of(all, "granite4_h_small"));
  EXPECT_TRUE(granite.linear.in_layer[4]);
  EXPECT_FALSE(granite.linear.in_layer[5]);
  EXPECT_TRUE(granite.linear.decay);
  EXPECT_EQ(granite.rotary, 0);
}

TEST(Types, HaveBlocksOfOnePart) {
  const std::vector<Row> all = rows();
  const Architecture nano = read_architecture(config_of(all, "nemotron3_nano"));
  ASSERT_EQ(nano.parts.size(), 52U);
  EXPECT_EQ(nano.parts[0], Part::attention);
  EXPECT_TRUE(nano.linear.in_layer[0]);
  EXPECT_EQ(nano.parts[1], Part::mlp);
  EXPECT_TRUE(nano.experts.in_layer[1]);
  EXPECT_EQ(nano.parts[5], Part::attention);
  EXPECT_FALSE(nano.linear.in_layer[5]);
  EXPECT_EQ(read_architecture(config_of(all, "nemotron3_super")).experts.latent, 1024);
}

/// A small Nemotron-H with one MLP, with `more` behind.
std::string nemotron(const std::string& more) {
  return R"({"model_type": "nemotron_h", "hidden_size": 64, "vocab_size": 9, "num_hidden_layers": 3,
             "num_attention_heads": 4, "intermediate_size": 128, "mamba_num_heads": 8,
             "mamba_head_dim": 8, "n_groups": 2, "ssm_state_size": 16, "conv_kernel": 4, )" +
         more + "}";
}

TEST(Types, RefuseAPatternThatIsNone) {
  EXPECT_EQ(refusal(nemotron(R"("hybrid_override_pattern": "M*-")")), "");
  EXPECT_EQ(refusal(nemotron(R"("layers_block_type": ["mamba", "attention", "mlp"])")), "");
  EXPECT_THAT(refusal(nemotron(R"("hybrid_override_pattern": "M*")")),
              HasSubstr("not one letter for each block"));
  EXPECT_THAT(refusal(nemotron(R"("hybrid_override_pattern": "M*x")")),
              HasSubstr("a block \"x\" is not known here"));
  EXPECT_THAT(refusal(nemotron(R"("layers_block_type": ["mamba", "conv", "mlp"])")),
              HasSubstr("\"conv\" is not known here"));
  std::string uneven = nemotron(R"("hybrid_override_pattern": "M*-")");
  uneven.replace(uneven.find("\"mamba_num_heads\": 8"), 20, "\"mamba_num_heads\": 7");
  EXPECT_THAT(refusal(uneven), HasSubstr("7 are no multiple of 2 heads of keys"));
}

TEST(Types, OfTextsAndImagesTheTextIsRead) {
  // Gemma 3 4B, whose file leaves out what its class has: 3,880,263,168 parameters of its text.
  const json::Document both = json::parse(
      R"({"model_type": "gemma3", "vision_config": {"hidden_size": 1152}, "text_config":
          {"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240,
           "num_hidden_layers": 34, "sliding_window": 1024}})",
      "config.json");
  const Graph graph = read_model_of_either_form(both, "config.json");
  EXPECT_EQ(graph.parameters(), 3'880'263'168);
  ASSERT_EQ(graph.notes.size(), 1U);
  EXPECT_THAT(graph.notes[0], HasSubstr("without what reads images"));
  const json::Document flat = json::parse(
      R"({"model_type": "qwen2_5_vl", "vision_config": {}, "hidden_size": 64, "vocab_size": 9,
          "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 128})",
      "config.json");
  EXPECT_EQ(read_model_of_either_form(flat, "config.json").notes.size(), 1U);
  const auto untied = text_part(json::parse(
      R"({"tie_word_embeddings": false, "text_config": {"model_type": "gemma3_text"}})", "a"));
  ASSERT_TRUE(untied);
  EXPECT_NE(untied->root.find("tie_word_embeddings"), nullptr);
  EXPECT_FALSE(text_part(json::parse(R"({"text_config": {"hidden_size": 1}})", "a")));
}

}  // namespace types_test
}  // namespace oracle::transformers
