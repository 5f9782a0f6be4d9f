#include "oracle/io/jobs/megatron_network.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

#include "oracle/graph/graph.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace megatron_network_test {

using Values = std::map<std::string, std::string, std::less<>>;

JobNetwork network_of(const Values& values) {
  megatron::Log log;
  log.name = "mine.log";
  log.arguments = values;
  log.arguments.emplace("seq_length", "16");
  megatron::JobArguments arguments(log);
  JobNetwork network = megatron::network_of(log, arguments);
  arguments.raise();
  return network;
}

std::int64_t parameters_of(const Values& values) {
  const JobNetwork network = network_of(values);
  EXPECT_EQ(network.reason, "");
  ModelOverrides overrides;
  overrides.sequence = 16;
  return read_model_of_either_form(json::parse(network.config, "mine.json"), "mine", overrides)
      .parameters();
}

std::int64_t published(const char* model) {
  ModelOverrides overrides;
  overrides.sequence = 16;
  return load_model(model, overrides).parameters();
}

const Values kLlama = {{"num_layers", "32"},
                       {"hidden_size", "4096"},
                       {"ffn_hidden_size", "14336"},
                       {"num_attention_heads", "32"},
                       {"group_query_attention", "True"},
                       {"num_query_groups", "8"},
                       {"kv_channels", "128"},
                       {"padded_vocab_size", "128256"},
                       {"max_position_embeddings", "8192"},
                       {"swiglu", "True"},
                       {"normalization", "RMSNorm"},
                       {"position_embedding_type", "rope"},
                       {"untie_embeddings_and_output_weights", "True"}};

Values with(Values values, const Values& other) {
  for (const auto& [name, value] : other) values[name] = value;
  return values;
}

/// Each of these has as many parameters as the model's card says.
TEST(MegatronNetwork, IsTheNetworkThatTheArgumentsDescribe) {
  EXPECT_EQ(parameters_of(kLlama), published("llama3_8b"));
  EXPECT_EQ(parameters_of(with(
                kLlama,
                {{"padded_vocab_size", "32000"}, {"num_experts", "8"}, {"moe_router_topk", "2"}})),
            published("mixtral_8x7b"));
  EXPECT_EQ(parameters_of(with(kLlama, {{"num_layers", "48"},
                                        {"hidden_size", "2048"},
                                        {"num_query_groups", "4"},
                                        {"padded_vocab_size", "151936"},
                                        {"qk_layernorm", "True"},
                                        {"num_experts", "128"},
                                        {"moe_router_topk", "8"},
                                        {"moe_ffn_hidden_size", "768"}})),
            published("qwen3_30b_a3b"));
  std::string frequency = "[0, 0, 0";
  for (int i = 3; i < 61; ++i) frequency += ", 1";
  EXPECT_EQ(parameters_of(with(kLlama, {{"multi_latent_attention", "True"},
                                        {"num_layers", "61"},
                                        {"hidden_size", "7168"},
                                        {"ffn_hidden_size", "18432"},
                                        {"num_attention_heads", "128"},
                                        {"group_query_attention", "False"},
                                        {"padded_vocab_size", "129280"},
                                        {"q_lora_rank", "1536"},
                                        {"kv_lora_rank", "512"},
                                        {"qk_head_dim", "128"},
                                        {"qk_pos_emb_head_dim", "64"},
                                        {"v_head_dim", "128"},
                                        {"num_experts", "256"},
                                        {"moe_router_topk", "8"},
                                        {"moe_ffn_hidden_size", "2048"},
                                        {"moe_shared_expert_intermediate_size", "2048"},
                                        {"moe_router_enable_expert_bias", "True"},
                                        {"moe_layer_freq", frequency + "]"}})),
            published("deepseek_v3"));
  const Values gpt2 = {{"num_layers", "24"},
                       {"hidden_size", "1024"},
                       {"ffn_hidden_size", "4096"},
                       {"num_attention_heads", "16"},
                       {"vocab_size", "50257"},
                       {"max_position_embeddings", "1024"},
                       {"normalization", "LayerNorm"},
                       {"add_bias_linear", "True"},
                       {"position_embedding_type", "learned_absolute"}};
  EXPECT_EQ(parameters_of(gpt2), published("gpt2_medium"));
}

TEST(MegatronNetwork, ExpertsInEachSecondBlock) {
  const Values experts = with(kLlama, {{"num_experts", "8"},
                                       {"moe_router_topk", "2"},
                                       {"qk_layernorm", "True"},
                                       {"moe_ffn_hidden_size", "64"}});
  const std::int64_t all = parameters_of(experts);
  const std::int64_t half = parameters_of(with(experts, {{"moe_layer_freq", "2"}}));
  const std::int64_t dense = 3LL * 4096 * 14336, sparse = 8LL * (3LL * 4096 * 64 + 4096);
  EXPECT_EQ(half - all, 16 * (dense - sparse));
}

TEST(MegatronNetwork, AttentionIsWrittenOutWhereNothingAsksForOneKernel) {
  const auto is_eager = [](const Values& other) {
    return network_of(with(with(kLlama, {{"group_query_attention", "False"}}), other))
               .config.find("\"attn_implementation\":\"eager\"") != std::string::npos;
  };
  EXPECT_TRUE(is_eager({{"transformer_impl", "local"}}));
  EXPECT_TRUE(is_eager({{"attention_backend", "AttnBackend.unfused"}}));
  EXPECT_FALSE(is_eager({{"transformer_impl", "local"}, {"use_flash_attn_v2", "True"}}));
  EXPECT_FALSE(is_eager({{"transformer_impl", "transformer_engine"}}));
}

TEST(MegatronNetwork, WhatIsNotKnownHasAReason) {
  EXPECT_EQ(network_of(with(kLlama, {{"normalization", "LayerNorm"}})).notes,
            std::vector<std::string>{"LayerNorm, priced as RMSNorm"});
  EXPECT_TRUE(network_of(kLlama).notes.empty());
  EXPECT_EQ(network_of(with(kLlama, {{"squared_relu", "True"}})).reason,
            "squared_relu is no activation that is known");
  EXPECT_EQ(network_of(with(kLlama, {{"hybrid_override_pattern", "M-M*"}})).reason,
            "hybrid_override_pattern: blocks of several kinds");
}

}  // namespace megatron_network_test
}  // namespace oracle
