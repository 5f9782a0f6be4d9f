#include "oracle/io/models/transformers/types.h"

#include <array>

namespace oracle::transformers {
namespace {

constexpr KeyNames kGpt2Keys = {"n_embd", "n_layer", "n_head", "n_inner", "n_positions"};
constexpr KeyNames kOptKeys = {"hidden_size", "num_hidden_layers", "num_attention_heads", "ffn_dim",
                               "max_position_embeddings"};
constexpr KeyNames kT5Keys = {"d_model", "num_layers", "num_heads", "d_ff", "n_positions"};
constexpr KeyNames kUsualKeys{};
constexpr auto kRms = Norms::rms;
constexpr auto kLayer = Norms::layer;
constexpr auto kTurned = Positions::rotary;
constexpr auto kLearned = Positions::learned;
constexpr auto kRelative = Positions::relative;

// Sources: the classes of Hugging Face Transformers called so.
constexpr std::array kTypes = {
    //   name            norms   gated  function positions q bias others head  tied   keys
    Type{"llama", kRms, true, "silu", kTurned},
    Type{"mistral", kRms, true, "silu", kTurned},
    Type{"mixtral", kRms, true, "silu", kTurned},
    Type{"qwen2", kRms, true, "silu", kTurned, true},
    Type{"qwen2_moe", kRms, true, "silu", kTurned, true},
    Type{"qwen3", kRms, true, "silu", kTurned},
    Type{"qwen3_moe", kRms, true, "silu", kTurned},
    Type{"gemma", kRms, true, "gelu", kTurned, false, false, false, true},
    Type{"gemma2", kRms, true, "gelu", kTurned, false, false, false, true},
    Type{"gemma3_text", kRms, true, "gelu", kTurned, false, false, false, true},
    Type{"phi", kLayer, false, "gelu", kTurned, true, true, true, false, kUsualKeys, "hidden_act"},
    Type{"phi3", kRms, true, "silu", kTurned},
    Type{"deepseek_v2", kRms, true, "silu", kTurned},
    Type{"deepseek_v3", kRms, true, "silu", kTurned},
    Type{"gpt2", kLayer, false, "gelu", kLearned, true, true, false, true, kGpt2Keys,
         "activation_function"},
    Type{"gpt_neox", kLayer, false, "gelu", kTurned, true, true},
    Type{"opt", kLayer, false, "relu", kLearned, true, true, false, true, kOptKeys},
    Type{"bert", kLayer, false, "gelu", kLearned, true, true, true, true},
    Type{"roberta", kLayer, false, "gelu", kLearned, true, true, true, true},
    Type{"t5",
         kRms,
         false,
         "relu",
         kRelative,
         false,
         false,
         false,
         true,
         kT5Keys,
         {},
         Family::encoder_decoder},
    Type{"vit",
         kLayer,
         false,
         "gelu",
         kLearned,
         true,
         true,
         true,
         false,
         kUsualKeys,
         {},
         Family::image},
    Type{"swin",
         kLayer,
         false,
         "gelu",
         kRelative,
         true,
         true,
         true,
         false,
         kUsualKeys,
         {},
         Family::windows},
};

}  // namespace

std::span<const Type> all_types() { return kTypes; }

}  // namespace oracle::transformers
