#include "oracle/io/models/transformers/types.h"

#include <array>

namespace oracle::transformers {
namespace {

constexpr KeyNames kGpt2Keys = {"n_embd", "n_layer", "n_head", "n_inner", "n_positions"};
constexpr KeyNames kOptKeys = {.ffn = "ffn_dim"};
constexpr KeyNames kT5Keys = {"d_model", "num_layers", "num_heads", "d_ff", "n_positions"};
constexpr KeyNames kDistilBertKeys = {"dim", "n_layers", "n_heads", "hidden_dim",
                                      "max_position_embeddings"};

constexpr BiasKeys kNoneOfOutput = {.output = {}};
constexpr BiasKeys kOneForAll = {"use_bias", "use_bias", "use_bias", {}};
constexpr BiasKeys kErnieBiases = {"use_bias", "use_bias", "use_bias", "use_bias"};

/// The same where the router has a number for each expert.
constexpr ExpertKeys corrected(ExpertKeys keys) {
  keys.correction = true;
  return keys;
}

constexpr ExpertKeys kMixtralExperts = {.count = "num_local_experts",
                                        .features = "intermediate_size"};
constexpr ExpertKeys kQwen2Experts = {.shared_features = "shared_expert_intermediate_size",
                                      .shared_gate = true,
                                      .period = "decoder_sparse_step"};
constexpr ExpertKeys kQwen3Experts = {.period = "decoder_sparse_step"};
constexpr ExpertKeys kOlmoExperts = {.features = "intermediate_size"};
constexpr ExpertKeys kDeepSeek2Experts = {.count = "n_routed_experts",
                                          .shared_count = "n_shared_experts",
                                          .first = "first_k_dense_replace",
                                          .period = "moe_layer_freq",
                                          .from_zero = true,
                                          .may_lack = true};
constexpr ExpertKeys kDeepSeek3Experts = corrected(kDeepSeek2Experts);
constexpr ExpertKeys kErnieExperts = {.count = "moe_num_experts",
                                      .per_token = "moe_k",
                                      .shared_count = "moe_num_shared_experts",
                                      .first = "moe_layer_start_index",
                                      .period = "moe_layer_interval",
                                      .correction = true};
constexpr ExpertKeys kGptOssExperts = {
    .count = "num_local_experts", .features = "intermediate_size", .router_bias = true};
constexpr ExpertKeys kMiniMaxExperts = corrected(kMixtralExperts);
constexpr ExpertKeys kGraniteExperts = {.count = "num_local_experts",
                                        .features = "intermediate_size",
                                        .shared_features = "shared_intermediate_size"};

constexpr ExpertKeys kNemotronExperts = {.count = "n_routed_experts",
                                         .latent = "moe_latent_size",
                                         .shared_features = "moe_shared_expert_intermediate_size",
                                         .correction = true,
                                         .may_lack = true};
constexpr ExpertKeys kGraniteHybridExperts = {.count = "num_local_experts",
                                              .features = "intermediate_size",
                                              .shared_features = "shared_intermediate_size",
                                              .may_lack = true,
                                              .shared_alone = true};

constexpr LinearKeys kQwenLinear = {.heads = "linear_num_key_heads",
                                    .value_heads = "linear_num_value_heads",
                                    .head_size = "linear_key_head_dim",
                                    .value_size = "linear_value_head_dim",
                                    .taps = "linear_conv_kernel_dim",
                                    .period = "full_attention_interval"};
constexpr LinearKeys kNemotronLinear = {.heads = "n_groups",
                                        .value_heads = "mamba_num_heads",
                                        .head_size = "ssm_state_size",
                                        .value_size = "mamba_head_dim",
                                        .taps = "conv_kernel",
                                        .chunk = "chunk_size",
                                        .bias = "use_bias",
                                        .taps_bias = "use_conv_bias",
                                        .decay = true};
constexpr LinearKeys kGraniteLinear = {.heads = "mamba_n_groups",
                                       .value_heads = "mamba_n_heads",
                                       .head_size = "mamba_d_state",
                                       .value_size = "mamba_d_head",
                                       .taps = "mamba_d_conv",
                                       .chunk = "mamba_chunk_size",
                                       .bias = "mamba_proj_bias",
                                       .taps_bias = "mamba_conv_bias",
                                       .decay = true};

constexpr Type qwen_hybrid(std::string_view name, const ExpertKeys* experts = nullptr) {
  return {.name = name,
          .head_norms = HeadNorms::each,
          .linear = &kQwenLinear,
          .gated_attention = true,
          .experts = experts};
}

constexpr Type encoder(std::string_view name, std::int64_t token_types, KeyNames keys = {}) {
  return {.name = name,
          .norms = Norms::layer,
          .norm_places = NormPlaces::sums,
          .gated = false,
          .activation = "gelu",
          .positions = Positions::learned,
          .token_types = token_types,
          .biased = Biased::all,
          .head_bias = true,
          .tied = true,
          .keys = keys};
}

// Sources: the classes of Hugging Face Transformers called so.
constexpr std::array kTypes = {
    Type{.name = "llama"},
    Type{.name = "mistral"},
    Type{.name = "ministral"},
    Type{.name = "mixtral", .experts = &kMixtralExperts},
    Type{.name = "qwen2", .biased = Biased::queries},
    Type{.name = "qwen2_vl", .biased = Biased::queries},
    Type{.name = "qwen2_vl_text", .biased = Biased::queries},
    Type{.name = "qwen2_5_vl", .biased = Biased::queries},
    Type{.name = "qwen2_5_vl_text", .biased = Biased::queries},
    Type{.name = "qwen2_moe", .biased = Biased::queries, .experts = &kQwen2Experts},
    Type{.name = "qwen3", .head_norms = HeadNorms::each},
    Type{.name = "qwen3_vl_text", .head_norms = HeadNorms::each},
    Type{.name = "qwen3_moe", .head_norms = HeadNorms::each, .experts = &kQwen3Experts},
    Type{.name = "qwen3_vl_moe_text", .head_norms = HeadNorms::each, .experts = &kQwen3Experts},
    qwen_hybrid("qwen3_next", &kQwen2Experts),
    qwen_hybrid("qwen3_5_text"),
    qwen_hybrid("qwen3_5_moe_text", &kQwen2Experts),
    Type{.name = "gemma", .activation = "gelu", .tied = true},
    Type{.name = "gemma2",
         .norm_places = NormPlaces::around,
         .activation = "gelu",
         .whole = 2,
         .tied = true},
    Type{.name = "gemma3_text",
         .norm_places = NormPlaces::around,
         .head_norms = HeadNorms::each,
         .activation = "gelu",
         .whole = 6,
         .tied = true,
         .usual = {.heads = 8, .kv_heads = 4, .head_size = 256, .vocabulary = 262'208}},
    Type{.name = "phi",
         .norms = Norms::layer,
         .gated = false,
         .activation = "gelu",
         .biased = Biased::all,
         .head_bias = true,
         .written_out = "hidden_act"},
    Type{.name = "phi3"},
    Type{.name = "phimoe",
         .norms = Norms::layer,
         .biases = {.head = "lm_head_bias"},
         .experts = &kMixtralExperts},
    Type{.name = "deepseek_v2", .latents = true, .experts = &kDeepSeek2Experts},
    Type{.name = "deepseek_v3", .latents = true, .experts = &kDeepSeek3Experts},
    Type{.name = "kimi_k2", .latents = true, .experts = &kDeepSeek3Experts},
    Type{.name = "dots1", .head_norms = HeadNorms::each, .experts = &kDeepSeek3Experts},
    Type{.name = "glm4", .norm_places = NormPlaces::around, .biases = kNoneOfOutput},
    Type{.name = "glm4_moe", .biases = kNoneOfOutput, .experts = &kDeepSeek3Experts},
    // Its experts' biases and one number a head, 0.03 % of its parameters, are left out.
    Type{.name = "gpt_oss", .whole = 2, .biased = Biased::attention, .experts = &kGptOssExperts},
    Type{.name = "minimax_m2", .head_norms = HeadNorms::together, .experts = &kMiniMaxExperts},
    Type{.name = "ernie4_5", .tied = true, .biases = kErnieBiases},
    Type{.name = "ernie4_5_moe", .tied = true, .biases = kErnieBiases, .experts = &kErnieExperts},
    Type{.name = "seed_oss", .biased = Biased::queries, .biases = {.output = "attention_out_bias"}},
    Type{.name = "hunyuan_v1_dense", .head_norms = HeadNorms::each, .tied = true},
    Type{.name = "exaone4",
         .norm_places = NormPlaces::after,
         .head_norms = HeadNorms::each,
         .whole = 4,
         .turns_windows = true},
    Type{.name = "smollm3", .unturned = 4, .tied = true},
    Type{.name = "olmo2", .norm_places = NormPlaces::after, .head_norms = HeadNorms::together},
    Type{.name = "olmo3",
         .norm_places = NormPlaces::after,
         .head_norms = HeadNorms::together,
         .whole = 4},
    Type{.name = "olmoe", .head_norms = HeadNorms::together, .experts = &kOlmoExperts},
    Type{.name = "granite", .tied = true},
    Type{.name = "granitemoe", .tied = true, .experts = &kMixtralExperts},
    Type{.name = "granitemoeshared", .tied = true, .experts = &kGraniteExperts},
    Type{.name = "granitemoehybrid",
         .linear = &kGraniteLinear,
         .tied = true,
         .experts = &kGraniteHybridExperts},
    Type{.name = "nemotron_h",
         .gated = false,
         .activation = "relu2",
         .positions = Positions::none,
         .linear = &kNemotronLinear,
         .pattern = "hybrid_override_pattern",
         .experts = &kNemotronExperts},
    Type{.name = "starcoder2",
         .norms = Norms::layer,
         .gated = false,
         .activation = "gelu",
         .biased = Biased::all,
         .tied = true,
         .biases = kOneForAll},
    Type{.name = "gpt2",
         .norms = Norms::layer,
         .gated = false,
         .activation = "gelu",
         .positions = Positions::learned,
         .biased = Biased::all,
         .tied = true,
         .keys = kGpt2Keys,
         .written_out = "activation_function"},
    Type{.name = "gpt_neox",
         .norms = Norms::layer,
         .gated = false,
         .activation = "gelu",
         .biased = Biased::all},
    Type{.name = "opt",
         .norms = Norms::layer,
         .gated = false,
         .activation = "relu",
         .positions = Positions::learned,
         .biased = Biased::all,
         .tied = true,
         .keys = kOptKeys},
    encoder("bert", 2),
    encoder("roberta", 2),
    encoder("xlm-roberta", 2),
    encoder("camembert", 2),
    encoder("distilbert", 0, kDistilBertKeys),
    Type{.name = "t5",
         .family = Family::encoder_decoder,
         .gated = false,
         .activation = "relu",
         .positions = Positions::relative,
         .tied = true,
         .keys = kT5Keys},
    Type{.name = "vit",
         .family = Family::image,
         .norms = Norms::layer,
         .gated = false,
         .activation = "gelu",
         .positions = Positions::learned,
         .biased = Biased::all,
         .head_bias = true},
    Type{.name = "swin",
         .family = Family::windows,
         .norms = Norms::layer,
         .gated = false,
         .activation = "gelu",
         .positions = Positions::relative,
         .biased = Biased::all,
         .head_bias = true},
};

}  // namespace

std::span<const Type> all_types() { return kTypes; }

}  // namespace oracle::transformers
