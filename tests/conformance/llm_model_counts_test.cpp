// Parameters and operations of published transformers, from their sizes alone.
//
// Every row agrees exactly but for what stands in other_head: BERT's published count has a pooler
// and no head, and the network that is built has the head that BERT is trained with. Encoders with
// decoders and networks for images are read from a configuration with the sizes of the row.

#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "oracle/io/json/document.h"
#include "oracle/io/json/lenient.h"
#include "oracle/io/models/transformers/architecture.h"
#include "oracle/io/models/transformers/config_reader.h"

namespace oracle {
namespace llm_model_counts_test {

using transformers::Architecture;

std::int64_t whole(const json::Node& node, std::string_view key, std::int64_t fallback = 0) {
  const json::Node* found = json::member(node, key, json::Type::integer);
  return found != nullptr ? found->integer : fallback;
}

bool flag(const json::Node& node, std::string_view key) {
  const json::Node* found = json::member(node, key, json::Type::boolean);
  return found != nullptr ? found->boolean : whole(node, key) != 0;
}

void read_experts(const json::Node& config, Architecture& of) {
  transformers::Experts& experts = of.experts;
  experts.count = whole(config, "experts");
  experts.per_token = whole(config, "top_k");
  experts.features = whole(config, "expert_ffn");
  experts.shared_features = whole(config, "shared_ffn");
  experts.shared_gate = flag(config, "shared_gate");
  experts.correction = flag(config, "router_bias");
  if (experts.count == 0) return;
  for (std::int64_t i = 0; i < of.layers; ++i) {
    experts.in_layer.push_back(i >= whole(config, "first_dense_layers"));
  }
}

void read_latents(const json::Node& config, Architecture& of) {
  of.latent = {whole(config, "q_lora_rank"), whole(config, "kv_lora_rank"),
               whole(config, "qk_nope_head_dim"), whole(config, "qk_rope_head_dim"),
               whole(config, "v_head_dim")};
}

/// Each pair is a number of blocks and their window, or null.
void read_windows(const json::Node& config, Architecture& of) {
  const std::int64_t window = whole(config, "sliding_window");
  of.window.assign(static_cast<std::size_t>(of.layers), window);
  const json::Node* windows = json::member(config, "windows", json::Type::array);
  if (windows == nullptr) return;
  of.window.clear();
  for (const json::Node& pair : windows->items) {
    of.window.insert(of.window.end(), static_cast<std::size_t>(pair.items[0].integer),
                     pair.items[1].integer);
  }
}

void make_encoder(const json::Node& config, Architecture& of) {
  of.causal = false;
  of.norm_places = transformers::NormPlaces::sums;
  of.embedding_norm = of.head_transform = of.head_bias = of.tied = true;
  of.query_bias = of.output_bias = of.mlp_bias = true;
  of.token_types = whole(config, "token_types");
}

Architecture architecture_of(const json::Node& config) {
  Architecture of;
  of.hidden = whole(config, "hidden");
  of.layers = whole(config, "layers");
  of.heads = whole(config, "heads");
  of.kv_heads = whole(config, "kv_heads", of.heads);
  of.head_size = whole(config, "head_dim", of.hidden / of.heads);
  of.ffn = whole(config, "ffn", 1);
  of.vocabulary = whole(config, "vocab");
  of.positions = whole(config, "positions");
  of.rms = json::text(config, "norm") == "rms";
  of.gated = json::text(config, "mlp").ends_with("glu");
  if (of.gated) of.activation = "silu";
  of.query_bias = flag(config, "qkv_bias");
  of.output_bias = flag(config, "out_bias");
  of.mlp_bias = flag(config, "mlp_bias");
  of.head_bias = flag(config, "head_bias");
  of.tied = flag(config, "tied");
  if (flag(config, "qk_norm")) of.head_norms = transformers::HeadNorms::each;
  if (whole(config, "norms_per_layer") == 4) of.norm_places = transformers::NormPlaces::around;
  of.parallel = of.one_norm = whole(config, "norms_per_layer") == 1;
  read_experts(config, of);
  read_latents(config, of);
  read_windows(config, of);
  if (json::text(config, "kind") == "encoder") make_encoder(config, of);
  return of;
}

/// A dense layer, a norm and a bias of the vocabulary in place of the pooler.
std::int64_t other_head(const Architecture& of, const json::Node& parameters) {
  if (of.causal) return 0;
  return of.hidden * of.hidden + of.hidden + 2 * of.hidden + of.vocabulary -
         whole(parameters, "pooler");
}

/// Forward, per token: of what multiplies by weights, and of attention.
struct Flops {
  double products = 0, attention = 0;
};

Flops flops_of(const Graph& graph, std::int64_t sequence) {
  Flops flops;
  for (const Layer& layer : graph.layers) {
    double& sum = layer.heads.keys > 0 ? flops.attention : flops.products;
    sum += 2 * layer.multiply_adds() / static_cast<double>(sequence);
  }
  return flops;
}

/// Head and its transform, which the rows of encoders leave out.
double head_flops(const Architecture& of) {
  return of.causal ? 0 : 2.0 * static_cast<double>(of.hidden * (of.hidden + of.vocabulary));
}

void expect_flops(const Architecture& causal, const json::Node& row) {
  const std::int64_t sequence = whole(row, "sequence");
  const double masked = json::number(row, "forward_attention_per_token_masked").value_or(0);
  Architecture full = causal;
  full.causal = false;
  full.window.clear();
  const Flops of_full = flops_of(build(full, "full", sequence), sequence);
  const auto products = static_cast<double>(whole(row, "forward_matmul_per_token"));
  EXPECT_DOUBLE_EQ(of_full.products - head_flops(causal), products);
  EXPECT_DOUBLE_EQ(of_full.attention,
                   json::number(row, "forward_attention_per_token_full").value_or(0));
  if (!causal.causal) return;
  EXPECT_NEAR(flops_of(build(causal, "masked", sequence), sequence).attention, masked,
              1e-9 * masked);
}

std::string pair(std::string_view key, const std::string& value) {
  return ", \"" + std::string(key) + "\": " + value;
}

/// A key of the row under the name that a configuration has for it.
std::string pair(std::string_view key, const json::Node& row, std::string_view in_row) {
  return pair(key, std::to_string(whole(row, in_row)));
}

std::string list(std::string_view key, const json::Node& row, std::string_view in_row) {
  std::string text;
  for (const json::Node& item : json::member(row, in_row, json::Type::array)->items) {
    text += (text.empty() ? "" : ", ") + std::to_string(item.integer);
  }
  return pair(key, "[" + text + "]");
}

Architecture read(const std::string& type, const std::string& keys) {
  return transformers::read_architecture(
      json::parse(R"({"model_type": ")" + type + '"' + keys + "}", "config.json"));
}

std::string keys_of_image(const json::Node& row) {
  return pair("image_size", row, "image") + pair("patch_size", row, "patch") +
         pair("num_labels", row, "classes");
}

Architecture read_vision(const json::Node& row) {
  return read("vit", keys_of_image(row) + pair("hidden_size", row, "hidden") +
                         pair("num_hidden_layers", row, "layers") +
                         pair("num_attention_heads", row, "heads") +
                         pair("intermediate_size", row, "ffn"));
}

Architecture read_vision_window(const json::Node& row) {
  return read("swin", keys_of_image(row) + pair("embed_dim", row, "hidden") +
                          list("depths", row, "depths") + list("num_heads", row, "heads_by_stage") +
                          pair("window_size", row, "window"));
}

Architecture read_encoder_decoder(const json::Node& row) {
  return read("t5", pair("d_model", row, "hidden") + pair("num_layers", row, "encoder_layers") +
                        pair("num_decoder_layers", row, "decoder_layers") +
                        pair("num_heads", row, "heads") + pair("d_kv", row, "d_kv") +
                        pair("d_ff", row, "ffn") + pair("vocab_size", row, "vocab") +
                        pair("relative_attention_num_buckets", row, "relative_buckets") +
                        pair("tie_word_embeddings", flag(row, "tied") ? "true" : "false"));
}

/// Parameters of the layers whose names begin so.
std::int64_t parameters_of(const Graph& graph, std::string_view prefix) {
  std::int64_t sum = 0;
  for (const Layer& layer : graph.layers) {
    if (layer.name.starts_with(prefix)) sum += layer.parameters();
  }
  return sum;
}

void expect_image(const json::Node& row, const Graph& graph) {
  const json::Node& work = *row.find("work");
  const json::Node& parameters = *row.find("parameters");
  EXPECT_EQ(graph.parameters(), whole(parameters, "total"));
  EXPECT_EQ(graph.multiply_adds(), whole(work, "forward_multiply_adds_per_image"));
  EXPECT_EQ(flops_of(graph, 1).attention / 2, whole(work, "of_which_attention_products"));
  if (const json::Node* stages = parameters.find("stages")) {
    for (std::size_t s = 0; s < stages->items.size(); ++s) {
      const std::string stage = "stage" + std::to_string(s + 1) + ".";
      EXPECT_EQ(parameters_of(graph, stage), stages->items[s].integer);
    }
    return;
  }
  EXPECT_EQ(parameters_of(graph, "patches"), whole(parameters, "patch_embedding"));
  EXPECT_EQ(parameters_of(graph, "layers.0."), whole(parameters, "layer"));
}

void expect_encoder_decoder(const json::Node& row, Architecture of) {
  const json::Node& flops = row.find("flops")->items[0];
  const json::Node& parameters = *row.find("parameters");
  of.decoder.tokens = whole(flops, "decoder_tokens");
  const Graph graph = build(of, "counted", whole(flops, "encoder_tokens"));
  EXPECT_EQ(graph.parameters(), whole(parameters, "total"));
  EXPECT_EQ(parameters_of(graph, "encoder.layers.1."), whole(parameters, "encoder_layer"));
  EXPECT_EQ(parameters_of(graph, "decoder.layers.1."), whole(parameters, "decoder_layer"));
  EXPECT_EQ(parameters_of(graph, "decoder.layers.0.attention"),
            whole(parameters, "relative_bias_each_stack"));
  const Flops of_sample = flops_of(graph, 1);
  EXPECT_EQ(of_sample.products, whole(flops, "forward_matmul_per_sample"));
  EXPECT_EQ(of_sample.attention, whole(flops, "forward_attention_per_sample_masked"));
}

void expect_text(const json::Node& row, const Architecture& of) {
  const json::Node& parameters = *row.find("parameters");
  const json::Node& flops = *row.find("flops");
  const Graph graph = build(of, "counted", whole(flops.items[0], "sequence"));
  EXPECT_EQ(graph.parameters(), whole(parameters, "total") + other_head(of, parameters));
  for (const json::Node& at : flops.items) expect_flops(of, at);
}

void expect_row(const json::Node& row) {
  const json::Node& config = *row.find("config");
  const std::string kind = json::text(config, "kind");
  if (kind == "vision") {
    expect_image(row, build(read_vision(config), "counted", 1));
  } else if (kind == "vision-window") {
    expect_image(row, build(read_vision_window(config), "counted", 1));
  } else if (kind == "encoder-decoder") {
    expect_encoder_decoder(row, read_encoder_decoder(config));
  } else {
    expect_text(row, architecture_of(config));
  }
}

TEST(LlmModelCounts, AreThoseOfTheReference) {
  std::ifstream file(std::string(ORACLE_SOURCE_DIR) +
                     "/tests/conformance/data/llm_model_counts.jsonl");
  int compared = 0;
  for (std::string line; std::getline(file, line); ++compared) {
    const json::Document row = json::parse(line, "llm_model_counts");
    SCOPED_TRACE(json::text(row.root, "model"));
    expect_row(row.root);
  }
  EXPECT_EQ(compared, 55);
}

}  // namespace llm_model_counts_test
}  // namespace oracle
