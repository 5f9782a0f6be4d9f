#include "oracle/io/models/transformers/config_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/io/models/model_reader.h"

namespace oracle::transformers {
namespace config_reader_test {

using testing::AllOf;
using testing::HasSubstr;

/// A small llama, with `more` in front: of members that stand twice the test has the first.
std::string llama(const std::string& more = {}) {
  return "{" + more +
         R"("model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
             "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100})";
}

std::string refusal(const std::string& text) {
  try {
    read_architecture(json::parse(text, "config.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

Architecture read(const std::string& text) {
  return read_architecture(json::parse(text, "config.json"));
}

TEST(ConfigReader, ReadsALlama) {
  const Architecture of = read(llama(R"("num_key_value_heads": 2, "torch_dtype": "bfloat16", )"));
  EXPECT_EQ(of.head_size, 16);
  EXPECT_EQ(of.kv_heads, 2);
  EXPECT_EQ(of.rotary, 16);
  EXPECT_TRUE(of.rms && of.gated && of.causal);
  EXPECT_FALSE(of.tied || of.query_bias || of.mlp_bias);
}

TEST(ConfigReader, TakesNullForWhatIsLeftOut) {
  EXPECT_TRUE(read(llama(R"("sliding_window": null, "head_dim": null, )")).window.empty());
}

TEST(ConfigReader, NamesEveryKeyThatIsMissing) {
  EXPECT_THAT(refusal(R"({"model_type": "llama", "vocab_size": 10})"),
              AllOf(HasSubstr("hidden_size"), HasSubstr("num_hidden_layers"),
                    HasSubstr("num_attention_heads"), HasSubstr("intermediate_size")));
}

TEST(ConfigReader, KnowsTheNearestType) {
  EXPECT_THAT(refusal(R"({"model_type": "llama4"})"),
              AllOf(HasSubstr("no transformer called \"llama4\""), HasSubstr("\"llama\""),
                    HasSubstr("ONNX")));
}

TEST(ConfigReader, RefusesAbsurdNumbers) {
  EXPECT_THAT(refusal(R"({"model_type": "llama", "hidden_size": 64,
                          "num_hidden_layers": 1099511627776, "num_attention_heads": 4,
                          "intermediate_size": 1, "vocab_size": 1})"),
              HasSubstr("num_hidden_layers"));
  EXPECT_THAT(refusal(R"({"model_type": "llama", "hidden_size": 65, "num_hidden_layers": 1,
                          "num_attention_heads": 4, "intermediate_size": 1, "vocab_size": 1})"),
              HasSubstr("4 heads do not divide 65 features"));
  EXPECT_THAT(refusal(llama(R"("num_key_value_heads": 3, )")), HasSubstr("3 do not divide 4"));
  EXPECT_THAT(refusal(llama(R"("head_dim": 15, )")), HasSubstr("cannot be turned in pairs"));
}

TEST(ConfigReader, ReadsWindowsOfSomeBlocks) {
  const std::string gemma =
      R"({"model_type": "gemma2", "hidden_size": 64, "num_hidden_layers": 4,
          "num_attention_heads": 4, "head_dim": 32, "intermediate_size": 128, "vocab_size": 100,
          "sliding_window": 8)";
  EXPECT_EQ(read(gemma + "}").window, (std::vector<std::int64_t>{8, 0, 8, 0}));
  EXPECT_EQ(read(gemma + R"(, "layer_types": ["full_attention", "full_attention",
                              "sliding_attention", "full_attention"]})")
                .window,
            (std::vector<std::int64_t>{0, 0, 8, 0}));
  EXPECT_THAT(refusal(gemma + R"(, "layer_types": ["full_attention"]})"),
              HasSubstr("not one entry for each block"));
}

TEST(ConfigReader, ReadsExpertsOfSomeBlocks) {
  const Architecture of = read(
      R"({"model_type": "qwen3_moe", "hidden_size": 64, "num_hidden_layers": 4,
          "num_attention_heads": 4, "moe_intermediate_size": 16, "vocab_size": 100,
          "num_experts": 8, "num_experts_per_tok": 2, "decoder_sparse_step": 2,
          "mlp_only_layers": [3], "intermediate_size": 128})");
  EXPECT_EQ(of.experts.in_layer, (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(of.experts.count, 8);
}

TEST(ConfigReader, NamesTheNetworkAfterItsFile) {
  const json::Document document = json::parse(llama(), "x/config.json");
  EXPECT_EQ(read_transformer(document, "x/mine.json", {}).name, "mine");
  EXPECT_EQ(read_transformer(document, "x/config.json", 16).name, "llama");
  EXPECT_EQ(read_transformer(document, "x/config.json", 16)[0].output[Axis::sequence], 16);
}

TEST(ConfigReader, TakesNoSizesOfImages) {
  ModelOverrides overrides;
  overrides.classes = 10;
  EXPECT_THROW(load_model("gpt_tiny", overrides), InputError);
  ModelOverrides text;
  text.sequence = 64;
  EXPECT_THROW(load_model("resnet50", text), InputError);
  EXPECT_EQ(load_model("gpt_tiny", text)[0].output[Axis::sequence], 64);
}

}  // namespace config_reader_test
}  // namespace oracle::transformers
