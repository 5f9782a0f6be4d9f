#include "oracle/io/jobs/megatron_network.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "oracle/io/models/transformers/config_keys.h"

namespace oracle::megatron {
namespace {

using Config = nlohmann::ordered_json;
using transformers::kMostExtent, transformers::kMostLayers, transformers::kMostSequence;

/// Rates of dropout, by their keys in a config.json.
constexpr std::string_view kDropout[] = {"attention_dropout", "hidden_dropout"};

/// Any of these asks for attention in one kernel.
constexpr const char* kFlash[] = {"use_flash_attn", "use_flash_attn_v1", "use_flash_attn_v2",
                                  "use_flash_attn_triton"};

/// Dense blocks: all but each N-th from the first, or the zeros of a list.
std::vector<std::int64_t> dense_blocks(std::string_view frequency, std::int64_t layers) {
  std::vector<std::int64_t> dense;
  if (frequency.starts_with('[')) {
    std::int64_t block = 0;
    for (const char letter : frequency) {
      if (letter == '0' && block < layers) dense.push_back(block);
      if (letter == '0' || letter == '1') ++block;
    }
    return dense;
  }
  std::int64_t period = 1;
  std::from_chars(frequency.data(), frequency.data() + frequency.size(), period);
  for (std::int64_t block = 0; period > 1 && block < layers; ++block) {
    if (block % period != 0) dense.push_back(block);
  }
  return dense;
}

class NetworkWriter {
 public:
  NetworkWriter(const Log& log, JobArguments& arguments) : log_(log), arguments_(arguments) {}

  JobNetwork run() {
    JobNetwork network{.name = std::filesystem::path(log_.name).stem().string(),
                       .reason = unknown(),
                       .sequence = arguments_.count("seq_length", kMostSequence)};
    if (!network.reason.empty()) return network;
    write_sizes();
    if (says_latents()) {
      write_latents();
    } else if (has_experts()) {
      write_experts();
    } else {
      write_dense();
    }
    network.config = config_.dump();
    network.notes = notes();
    return network;
  }

 private:
  bool has_experts() const { return arguments_.has_experts(); }
  bool says_latents() const { return arguments_.flag("multi_latent_attention"); }
  bool is_gated() const { return arguments_.flag("swiglu"); }
  bool is_rms() const {
    const std::string_view norms = arguments_.text("normalization");
    return norms == "RMSNorm" || norms == "rmsnorm";
  }
  bool is_turned() const {
    return arguments_.text("position_embedding_type") == "rope" ||
           arguments_.flag("use_rotary_position_embeddings");
  }
  std::int64_t kv_heads(std::int64_t heads) {
    if (!arguments_.flag("group_query_attention")) return heads;
    return arguments_.count("num_query_groups", kMostExtent);
  }

  /// Why no network is known.
  std::string unknown() const {
    for (const char* name :
         {"hybrid_override_pattern", "is_hybrid_model", "hybrid_layer_pattern"}) {
      if (arguments_.says(name) && arguments_.text(name) != "False") {
        return std::string(name) + ": blocks of several kinds";
      }
    }
    if (arguments_.flag("squared_relu")) return "squared_relu is no activation that is known";
    if (says_latents()) return {};
    if (!is_gated() && has_experts()) return "none that is known has gelu in its experts";
    const bool groups = arguments_.flag("group_query_attention");
    if (!is_gated() && groups) return "none that is known has gelu with groups of queries";
    return {};
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> found;
    const auto add = [&](const char* what, const char* as) {
      found.push_back(std::string(what) + ", priced as " + as);
    };
    const bool rms = is_gated() || says_latents();
    if (rms && !is_rms()) add("LayerNorm", "RMSNorm");
    if (!rms && is_rms()) add("RMSNorm", "LayerNorm");
    if (rms && !is_turned()) add("learned positions", "rotary ones");
    return found;
  }

  void write_sizes() {
    const std::int64_t heads = arguments_.count("num_attention_heads", kMostExtent);
    const std::int64_t hidden = arguments_.count("hidden_size", kMostExtent);
    config_["hidden_size"] = hidden;
    config_["num_hidden_layers"] = arguments_.count("num_layers", kMostLayers);
    config_["num_attention_heads"] = heads;
    config_["num_key_value_heads"] = kv_heads(heads);
    config_["head_dim"] = arguments_.count_or("kv_channels", kMostExtent, hidden / heads);
    config_["intermediate_size"] = arguments_.count("ffn_hidden_size", kMostExtent);
    config_["vocab_size"] =
        log_.padded_vocabulary > 0
            ? log_.padded_vocabulary
            : arguments_.count(
                  arguments_.says("padded_vocab_size") ? "padded_vocab_size" : "vocab_size",
                  kMostExtent);
    config_["max_position_embeddings"] = arguments_.count("max_position_embeddings", kMostSequence);
    config_["tie_word_embeddings"] = !arguments_.flag("untie_embeddings_and_output_weights");
    for (const std::string_view key : kDropout) {
      const std::string_view written = arguments_.text(key);
      double rate = 0;
      std::from_chars(written.data(), written.data() + written.size(), rate);
      config_[std::string(key)] = rate > 0 && rate < 1 ? rate : 0;
    }
    if (is_written_out()) config_["attn_implementation"] = "eager";
  }

  /// Attention in several kernels: the oldest way, or the one that is asked for. Networks whose
  /// queries share heads are not known so.
  bool is_written_out() const {
    if (config_["num_key_value_heads"] != config_["num_attention_heads"]) return false;
    const std::string_view backend = arguments_.text("attention_backend");
    if (backend.find("unfused") != std::string_view::npos) return true;
    const bool is_flash = std::any_of(std::begin(kFlash), std::end(kFlash),
                                      [&](const char* name) { return arguments_.flag(name); });
    return arguments_.text("transformer_impl") == "local" && !is_flash;
  }

  void write_biases() {
    const bool all = arguments_.flag("add_bias_linear");
    config_["attention_bias"] = all || arguments_.flag("add_qkv_bias");
    config_["mlp_bias"] = all;
  }

  void write_dense() {
    write_biases();
    if (is_gated()) {
      const bool of_queries =
          arguments_.flag("add_qkv_bias") && !arguments_.flag("add_bias_linear");
      config_["model_type"] = arguments_.flag("qk_layernorm") ? "qwen3"
                              : of_queries                    ? "qwen2"
                                                              : "llama";
      if (of_queries) config_.erase("attention_bias");
      return;
    }
    if (is_turned()) {
      config_["model_type"] = "gpt_neox";
      config_["use_parallel_residual"] = false;
      return;
    }
    config_["model_type"] = "gpt2";
    config_["activation_function"] = "gelu";
    config_["n_embd"] = config_["hidden_size"];
    config_["n_layer"] = config_["num_hidden_layers"];
    config_["n_head"] = config_["num_attention_heads"];
    config_["n_inner"] = config_["intermediate_size"];
    config_["n_positions"] = config_["max_position_embeddings"];
  }

  /// Which blocks have experts, how many, how wide.
  void write_router(const char* counted) {
    config_[counted] = arguments_.count("num_experts", kMostExtent);
    config_["num_experts_per_tok"] = arguments_.count("moe_router_topk", kMostExtent);
    config_["moe_intermediate_size"] = expert_features();
    const auto dense = dense_blocks(arguments_.text("moe_layer_freq"),
                                    config_["num_hidden_layers"].get<std::int64_t>());
    if (!dense.empty()) config_["mlp_only_layers"] = dense;
  }

  std::int64_t expert_features() {
    return arguments_.count_or("moe_ffn_hidden_size", kMostExtent,
                               config_["intermediate_size"].get<std::int64_t>());
  }

  void write_experts() {
    write_biases();
    if (arguments_.says("moe_shared_expert_intermediate_size")) {
      write_router("num_experts");
      config_["model_type"] = "qwen2_moe";
      config_["shared_expert_intermediate_size"] =
          arguments_.count("moe_shared_expert_intermediate_size", kMostExtent);
      return;
    }
    const bool has_norms = arguments_.flag("qk_layernorm");
    write_router(has_norms ? "num_experts" : "num_local_experts");
    if (has_norms) {
      config_["model_type"] = "qwen3_moe";
      return;
    }
    config_["model_type"] = "mixtral";
    config_["intermediate_size"] = expert_features();
  }

  void write_latents() {
    config_["model_type"] =
        arguments_.flag("moe_router_enable_expert_bias") ? "deepseek_v3" : "deepseek_v2";
    config_.erase("head_dim");
    if (arguments_.says("q_lora_rank")) {
      config_["q_lora_rank"] = arguments_.count("q_lora_rank", kMostExtent);
    }
    config_["kv_lora_rank"] = arguments_.count("kv_lora_rank", kMostExtent);
    config_["qk_nope_head_dim"] = arguments_.count("qk_head_dim", kMostExtent);
    config_["qk_rope_head_dim"] = arguments_.count("qk_pos_emb_head_dim", kMostExtent);
    config_["v_head_dim"] = arguments_.count("v_head_dim", kMostExtent);
    if (!has_experts()) return;
    write_router("n_routed_experts");
    const std::int64_t shared =
        arguments_.count_or("moe_shared_expert_intermediate_size", kMostExtent, 0);
    config_["n_shared_experts"] = shared / expert_features();
  }

  const Log& log_;
  JobArguments& arguments_;
  Config config_;
};

}  // namespace

JobNetwork network_of(const Log& log, JobArguments& arguments) {
  return NetworkWriter(log, arguments).run();
}

}  // namespace oracle::megatron
