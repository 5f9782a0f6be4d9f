#include "oracle/io/models/transformers/config_reader.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/io/models/model_reader.h"
#include "tests/io/models/transformers/refusal.h"

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

/// A GPT of one block: 2 heads of 4, 10 words.
Graph gpt(const std::string& more) {
  return read_transformer(
      json::parse("{" + more + R"("model_type": "gpt2", "n_embd": 8, "n_layer": 1, "n_head": 2,
                                   "n_positions": 6, "vocab_size": 10})",
                  "config.json"),
      "config.json");
}

std::vector<std::string> kinds_of(const Graph& graph, std::string_view part) {
  std::vector<std::string> kinds;
  for (const Layer& layer : graph.layers) {
    if (layer.name.find(part) != std::string::npos) kinds.emplace_back(layer.kind->name);
  }
  return kinds;
}

TEST(ConfigReader, WritesEagerAttentionOut) {
  const Graph fused = gpt(R"("attn_implementation": "sdpa", "attn_pdrop": 0.1, )");
  EXPECT_EQ(kinds_of(fused, "attention"), std::vector<std::string>{"attention"});
  const Graph eager = gpt(R"("_attn_implementation": "eager", "attn_pdrop": 0.1, )");
  EXPECT_EQ(kinds_of(eager, "attention"),
            (std::vector<std::string>{"matmul", "softmax", "dropout", "matmul"}));
  // 2 heads of 6 x 6 scores, which nothing masked; keys of 4 features.
  const auto& scores =
      *std::find_if(eager.layers.begin(), eager.layers.end(),
                    [](const Layer& one) { return one.name == "layers.0.attention_scores"; });
  EXPECT_EQ(scores.output.elements(), 2 * 6 * 6);
  EXPECT_EQ(eager.parameters(), fused.parameters());
}

TEST(ConfigReader, DropsWhatRatesAboveNoneSay) {
  const auto dropped = [](const std::string& more) {
    const Graph graph = gpt(more);
    return std::count_if(graph.layers.begin(), graph.layers.end(),
                         [](const Layer& layer) { return layer.kind->name == "dropout"; });
  };
  EXPECT_EQ(dropped(""), 0);
  EXPECT_EQ(dropped(R"("embd_pdrop": 0.1, "resid_pdrop": 0, )"), 1);
  EXPECT_EQ(dropped(R"("resid_pdrop": 0.1, )"), 2);
}

TEST(ConfigReader, RefusesEagerAttentionOfGroupedQueries) {
  EXPECT_THAT(refusal(llama(R"("num_key_value_heads": 2, "attn_implementation": "eager", )")),
              AllOf(HasSubstr("attn_implementation"), HasSubstr("fewer heads of keys")));
  EXPECT_TRUE(read(llama(R"("attn_implementation": "eager", )")).written_out);
}

/// bert-base-uncased, with `more`.
Graph bert_base(const std::string& more) {
  return build(read("{" + more + R"("model_type": "bert", "hidden_size": 768,
                    "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
                    "vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2})"),
               "bert", 128);
}

/// Hugging Face Transformers, num_parameters() of the classes called so, with two classes.
TEST(ConfigReader, ReadsWhatTheHeadIsFor) {
  const auto count = [](const char* task, const char* more = "") {
    return bert_base(std::string(R"("architectures": ["BertFor)") + task + "\"], " + more)
        .parameters();
  };
  EXPECT_EQ(count("MaskedLM"), 109'514'298);
  EXPECT_EQ(count("SequenceClassification"), 109'483'778);
  EXPECT_EQ(count("QuestionAnswering"), 108'893'186);
  EXPECT_EQ(count("TokenClassification", R"("id2label": {"0": "O", "1": "B", "2": "I"}, )"),
            108'893'186 + 769);
}

TEST(ConfigReader, AHeadForTextsReadsOnePosition) {
  const Architecture of = read(llama(R"("architectures": ["LlamaForSequenceClassification"], )"));
  EXPECT_EQ(of.labels, 2);
  EXPECT_EQ(of.read_out, 1);
  EXPECT_FALSE(of.pooled || of.head_bias);
  EXPECT_EQ(read(llama(R"("architectures": ["LlamaForCausalLM"], )")).labels, 0);
}

TEST(ConfigReader, ReadsHowManyWordsAHeadIsAskedFor) {
  const auto positions = [](const char* words) {
    const Graph graph = bert_base(std::string(R"("max_predictions_per_seq": )") + words + ", ");
    return graph.layers[graph.size() - 2].output[Axis::sequence];
  };
  EXPECT_EQ(positions("20"), 20);
  EXPECT_EQ(positions("200"), 128) << "no more than there are";
}

TEST(ConfigReader, NamesTheNetworkAfterItsFile) {
  const json::Document document = json::parse(llama(), "x/config.json");
  EXPECT_EQ(read_transformer(document, "x/mine.json", {}).name, "mine");
  EXPECT_EQ(read_transformer(document, "x/config.json", {16}).name, "llama");
  EXPECT_EQ(read_transformer(document, "x/config.json", {16})[0].output[Axis::sequence], 16);
}

/// `more`, and of `usual` what has no key of it. Each entry is `"key": value`.
std::string config(std::initializer_list<const char*> usual, const std::string& more) {
  std::string text = "{" + more;
  for (const std::string entry : usual) {
    if (more.find(entry.substr(0, entry.find(':'))) == std::string::npos) text += entry + ", ";
  }
  return text.substr(0, text.size() - 2) + "}";
}

/// A small ViT, Swin or T5.
std::string vit(const std::string& more = {}) {
  return config({R"("model_type": "vit")", R"("image_size": 32)", R"("patch_size": 8)",
                 R"("hidden_size": 16)", R"("num_hidden_layers": 2)", R"("num_attention_heads": 4)",
                 R"("intermediate_size": 64)"},
                more);
}

std::string swin(const std::string& more = {}) {
  return config({R"("model_type": "swin")", R"("image_size": 32)", R"("patch_size": 2)",
                 R"("embed_dim": 8)", R"("depths": [2, 1])", R"("num_heads": [2, 4])",
                 R"("window_size": 4)", R"("num_labels": 10)"},
                more);
}

std::string t5(const std::string& more = {}) {
  return config({R"("model_type": "t5")", R"("d_model": 16)", R"("d_kv": 4)", R"("d_ff": 32)",
                 R"("num_layers": 2)", R"("num_heads": 3)", R"("vocab_size": 50)"},
                more);
}

Graph built(const std::string& text, const Sizes& sizes = {}) {
  return read_transformer(json::parse(text, "config.json"), "config.json", sizes);
}

std::string refusal_of(const std::string& text, const Sizes& sizes = {}) {
  try {
    built(text, sizes);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

const Layer& layer_of(const Graph& graph, std::string_view name) {
  for (const Layer& layer : graph.layers) {
    if (layer.name == name) return layer;
  }
  throw std::out_of_range(std::string(name));
}

TEST(ConfigReader, ReadsAViT) {
  const Graph graph = built(vit());
  EXPECT_EQ(layer_of(graph, "positions").output[Axis::sequence], 16 + 1);
  EXPECT_EQ(layer_of(graph, "head").output.channels(), 2);
  EXPECT_EQ(to_text(layer_of(graph, "first").output), "16");
  EXPECT_TRUE(read(vit()).query_bias);
  EXPECT_FALSE(read(vit(R"("qkv_bias": false, )")).query_bias);
  EXPECT_EQ(read(vit(R"("id2label": {"0": "a", "1": "b", "2": "c"}, )")).image.classes, 3);
  EXPECT_EQ(read(vit(R"("num_labels": 7, )")).image.classes, 7);
  const Image image = read(vit(R"("image_size": [16, 64], "patch_size": [8, 4], )")).image;
  EXPECT_EQ(image.height, 16);
  EXPECT_EQ(image.width, 64);
  EXPECT_EQ(image.patch_height, 8);
  EXPECT_EQ(image.patch_width, 4);
}

// Windows of 4x4 on maps of 16x16 and 8x8.
TEST(ConfigReader, ReadsASwin) {
  const Graph graph = built(swin());
  const Layer& first = layer_of(graph, "stage1.layers.0.attention");
  EXPECT_EQ(first.heads.within, 16);
  EXPECT_EQ(first.parameters(), 7 * 7 * 2);
  EXPECT_EQ(layer_of(graph, "stage2.layers.0.up").output.channels(), 4 * 16);
  EXPECT_EQ(layer_of(graph, "stage2.layers.0.sum2").output[Axis::sequence], 8 * 8);
  // Each second block rolls its map.
  EXPECT_EQ(layer_of(graph, "stage1.layers.1.shift").kind->name, "movement");
  EXPECT_THROW(layer_of(graph, "stage1.layers.0.shift"), std::out_of_range);
  EXPECT_THROW(layer_of(graph, "stage2.merge"), std::out_of_range);
  EXPECT_THROW(layer_of(graph, "positions"), std::out_of_range);
  const Graph placed = built(swin(R"("use_absolute_embeddings": true, )"));
  EXPECT_EQ(placed.parameters() - graph.parameters(), 16 * 16 * 8);
}

// One window covers a map of 8x8: none is shifted.
TEST(ConfigReader, ShiftsNoWindowThatCoversTheMap) {
  const Graph graph = built(swin(R"("depths": [2, 2], "window_size": 8, )"));
  EXPECT_NO_THROW(layer_of(graph, "stage1.layers.1.shift"));
  EXPECT_THROW(layer_of(graph, "stage2.layers.1.shift"), std::out_of_range);
  EXPECT_EQ(layer_of(graph, "stage2.layers.1.attention").heads.within, 64);
}

TEST(ConfigReader, ReadsAT5) {
  const Graph graph = built(t5(), {12});
  EXPECT_EQ(layer_of(graph, "encoder.layers.1.q").output.channels(), 12);
  EXPECT_EQ(layer_of(graph, "decoder.layers.1.cross.k").output[Axis::sequence], 12);
  EXPECT_TRUE(layer_of(graph, "decoder.layers.0.attention").heads.causal);
  EXPECT_FALSE(layer_of(graph, "decoder.layers.0.cross.attention").heads.causal);
  // Each stack has a table of relative positions, which its first block owns.
  EXPECT_EQ(layer_of(graph, "encoder.layers.0.attention").parameters(), 32 * 3);
  EXPECT_EQ(layer_of(graph, "encoder.layers.1.attention").parameters(), 0);
  EXPECT_EQ(layer_of(graph, "decoder.layers.0.attention").parameters(), 32 * 3);
  EXPECT_EQ(layer_of(graph, "decoder.layers.1.cross.attention").weights.size(), 0U);
  // One table of words for both stacks and the head.
  EXPECT_EQ(layer_of(graph, "decoder_embed").parameters(), 0);
  EXPECT_EQ(layer_of(graph, "head").parameters(), 0);
  const Graph apart = built(t5(R"("tie_word_embeddings": false, )"), {12});
  EXPECT_EQ(apart.parameters() - graph.parameters(), 16 * 50);
  const Architecture gated = read(t5(R"("feed_forward_proj": "gated-gelu", )"));
  EXPECT_TRUE(gated.gated);
  EXPECT_EQ(gated.activation, "gelu");
  EXPECT_FALSE(read(t5()).gated);
  EXPECT_EQ(read(t5()).activation, "relu");
  EXPECT_EQ(read(t5(R"("num_decoder_layers": 5, )")).decoder.layers, 5);
}

TEST(ConfigReader, RefusesAbsurdImages) {
  EXPECT_THAT(refusal(vit(R"("image_size": 65537, )")), HasSubstr("image_size"));
  EXPECT_THAT(refusal(vit(R"("image_size": [32], )")), HasSubstr("not 2 numbers"));
  EXPECT_THAT(refusal(vit(R"("image_size": [32, 0], )")), HasSubstr("not 2 numbers"));
  EXPECT_THAT(refusal(vit(R"("patch_size": 33, )")), HasSubstr("larger than the image"));
  EXPECT_THAT(refusal(vit(R"("num_attention_heads": 3, )")),
              HasSubstr("3 heads do not divide 16 features"));
  EXPECT_THAT(refusal(R"({"model_type": "vit"})"),
              AllOf(HasSubstr("image_size"), HasSubstr("patch_size"), HasSubstr("hidden_size")));
}

TEST(ConfigReader, RefusesAbsurdWindows) {
  EXPECT_THAT(refusal(swin(R"("num_heads": [2], )")), HasSubstr("1 entries and \"depths\" 2"));
  EXPECT_THAT(refusal(swin(R"("num_heads": [2, 3], )")),
              HasSubstr("3 heads do not divide the 16 features of stage 2"));
  EXPECT_THAT(refusal(swin(R"("depths": [], )")), HasSubstr("depths"));
  EXPECT_THAT(refusal(swin(R"("depths": [2, 1001], )")), HasSubstr("numbers from 1 to 1000"));
  EXPECT_THAT(refusal(swin(R"("depths": [501, 500], )")), HasSubstr("more than 1000 blocks"));
  EXPECT_THAT(refusal(swin(R"("mlp_ratio": 1e300, )")), HasSubstr("mlp_ratio"));
  EXPECT_THAT(refusal(swin(R"("mlp_ratio": 0, )")), HasSubstr("leaves no features"));
  EXPECT_THAT(refusal_of(swin(R"("image_size": 36, )")),
              AllOf(HasSubstr("a map of 18x18 is not filled by windows of 4x4"),
                    HasSubstr("choose a multiple of 16 by 16")));
  EXPECT_THAT(refusal_of(swin(R"("image_size": 33, )")), HasSubstr("its patches do not fill it"));
  EXPECT_THAT(refusal_of(swin(R"("image_size": 10, "window_size": 5, )")),
              HasSubstr("a map of 5x5 cannot be halved"));
}

TEST(ConfigReader, RefusesAbsurdEncodersAndDecoders) {
  EXPECT_THAT(refusal(t5(R"("feed_forward_proj": "gated-relu", )")),
              HasSubstr("\"gated-relu\" is not known"));
  EXPECT_THAT(refusal(t5(R"("feed_forward_proj": "cosine", )")), HasSubstr("\"gated-silu\""));
  EXPECT_THAT(refusal(t5(R"("num_decoder_layers": 1001, )")), HasSubstr("num_decoder_layers"));
  EXPECT_THAT(refusal(t5(R"("relative_attention_num_buckets": 0, )")),
              HasSubstr("relative_attention_num_buckets"));
  EXPECT_THAT(refusal(R"({"model_type": "t5"})"),
              AllOf(HasSubstr("d_model"), HasSubstr("d_kv"), HasSubstr("d_ff")));
}

TEST(ConfigReader, TakesSizesOfImagesWhereItReadsThem) {
  ModelOverrides overrides;
  overrides.input = parse_input_shape("3x384x256");
  overrides.classes = 10;
  const Graph graph = load_model("vit_b", overrides);
  EXPECT_EQ(layer_of(graph, "positions").output[Axis::sequence], 24 * 16 + 1);
  EXPECT_EQ(layer_of(graph, "head").output.channels(), 10);
  EXPECT_EQ(graph.published.parameters, 0);
  ModelOverrides text;
  text.sequence = 64;
  EXPECT_THROW(load_model("vit_b", text), InputError);
  ModelOverrides flat;
  flat.input = parse_input_shape("224");
  EXPECT_THROW(load_model("swin_t", flat), InputError);
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

/// GPT-2 writes "gelu_new" out, but for a configuration that names another function.
TEST(ConfigReader, KnowsWhoseActivationIsWrittenOut) {
  const auto gpt2 = [](const std::string& more) {
    return read("{" + more +
                R"("model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4,
                   "n_positions": 32, "vocab_size": 100})");
  };
  EXPECT_TRUE(gpt2("").activation_by_operations);
  EXPECT_TRUE(gpt2(R"("activation_function": "gelu_new", )").activation_by_operations);
  EXPECT_FALSE(gpt2(R"("activation_function": "gelu_pytorch_tanh", )").activation_by_operations);
  EXPECT_FALSE(read(llama()).activation_by_operations);
}

}  // namespace config_reader_test
}  // namespace oracle::transformers
