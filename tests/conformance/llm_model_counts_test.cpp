// Parameters and operations of published transformers, from their sizes alone.
//
// Every row agrees exactly but for what stands in kOtherHeads: BERT's published count has a pooler
// and no head, and the network that is built has the head that BERT is trained with. Encoders with
// decoders and networks for images have no reader; their rows are counted here, so that one that
// is added is noticed.

#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "oracle/io/json/document.h"
#include "oracle/io/json/lenient.h"
#include "oracle/io/models/transformers/architecture.h"

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
  of.norm_after = of.embedding_norm = of.head_transform = of.head_bias = of.tied = true;
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
  of.head_norms = flag(config, "qk_norm");
  of.norms_around = whole(config, "norms_per_layer") == 4;
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

TEST(LlmModelCounts, AreThoseOfTheReference) {
  std::ifstream file(std::string(ORACLE_SOURCE_DIR) +
                     "/tests/conformance/data/llm_model_counts.jsonl");
  int compared = 0, sequences = 0, left = 0;
  for (std::string line; std::getline(file, line);) {
    const json::Document row = json::parse(line, "llm_model_counts");
    const json::Node& config = *row.root.find("config");
    const std::string kind = json::text(config, "kind");
    if (kind != "decoder" && kind != "encoder") {
      ++left;
      continue;
    }
    SCOPED_TRACE(json::text(row.root, "model"));
    const Architecture of = architecture_of(config);
    const json::Node& parameters = *row.root.find("parameters");
    const json::Node& flops = *row.root.find("flops");
    const Graph graph = build(of, "counted", whole(flops.items[0], "sequence"));
    EXPECT_EQ(graph.parameters(), whole(parameters, "total") + other_head(of, parameters));
    for (const json::Node& at : flops.items) {
      expect_flops(of, at);
      ++sequences;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 45);
  EXPECT_GE(sequences, compared);
  EXPECT_EQ(left, 10);  // 4 of T5, 6 of images
}

}  // namespace llm_model_counts_test
}  // namespace oracle
