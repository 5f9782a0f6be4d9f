#pragma once
// What does a type of transformer fix, and what are the keys of its configuration called?

#include <cstdint>
#include <span>
#include <string_view>

#include "oracle/io/models/transformers/architecture.h"

namespace oracle::transformers {

/// Names of the keys that nearly all have.
struct KeyNames {
  std::string_view hidden = "hidden_size", layers = "num_hidden_layers",
                   heads = "num_attention_heads", ffn = "intermediate_size",
                   longest = "max_position_embeddings";
};

/// Names of the keys that say where there are biases; empty: none says it.
struct BiasKeys {
  std::string_view queries = "attention_bias";  ///< of queries, keys and values
  std::string_view output = "attention_bias", mlp = "mlp_bias", head{};
};

/// What a type with experts calls its numbers; empty: it has none of these.
struct ExpertKeys {
  std::string_view count = "num_experts", features = "moe_intermediate_size",
                   per_token = "num_experts_per_tok";
  std::string_view latent{};           ///< features that tokens are narrowed to for them
  std::string_view shared_count{};     ///< of experts of that width which every token goes to
  std::string_view shared_features{};  ///< or their width
  bool shared_gate = false;            ///< their sum is weighted by a trained score
  std::string_view first{};            ///< block that has experts, those before have none
  std::string_view period{};           ///< each so many-th block has experts
  bool from_zero = false;              ///< the period counts blocks from 0
  bool correction = false;             ///< the router has a number for each expert
  bool router_bias = false;
  bool may_lack = false;      ///< without the count, or with 0, there are none
  bool shared_alone = false;  ///< where there are none, the shared ones are the MLP
};

/// What a type with linear attention calls its sizes; empty: it has none of these.
struct LinearKeys {
  std::string_view heads, value_heads, head_size, value_size, taps;
  std::string_view chunk{}, bias{}, taps_bias{};
  bool decay = false;
  std::string_view period{};  ///< each so many-th block has softmax's; 4 where it is not said
};

/// Sizes that a configuration may leave out, as its class has them; 0: it may not.
struct UsualSizes {
  std::int64_t heads = 0, kv_heads = 0, head_size = 0, vocabulary = 0;
};

enum class Norms : bool { layer, rms };
/// What has biases where no key says it: none, queries, keys and values, attention's output too,
/// and the MLP as well.
enum class Biased : std::uint8_t { none, queries, attention, all };
enum class Positions : std::uint8_t { rotary, learned, relative, none };
/// What a network of a type is made of: one stack for texts or for images, stages with windows, or
/// an encoder and a decoder.
enum class Family : std::uint8_t { text, image, windows, encoder_decoder };

struct Type {
  std::string_view name;
  Family family = Family::text;
  Norms norms = Norms::rms;
  NormPlaces norm_places = NormPlaces::before;
  HeadNorms head_norms = HeadNorms::none;
  bool gated = true;
  std::string_view activation = "silu";
  bool latents = false;  ///< queries, keys and values go through narrow ones (LatentAttention)
  Positions positions = Positions::rotary;
  std::int64_t unturned = 0;  ///< each so many-th block turns no queries and keys; 0: all do
  std::int64_t whole = 0;     ///< of blocks with windows, each so many-th reads all; 0: none
  const LinearKeys* linear = nullptr;  ///< of blocks with linear attention
  std::string_view pattern{};    ///< where the one part of each block is said, a letter for each
  bool gated_attention = false;  ///< where "attn_output_gate" does not say
  bool turns_windows = false;    ///< where some blocks have windows, these alone turn them
  std::int64_t token_types = 0;  ///< of segments, where "type_vocab_size" does not say
  Biased biased = Biased::none;
  bool head_bias = false;
  bool tied = false;  ///< where "tie_word_embeddings" does not say
  KeyNames keys{};
  BiasKeys biases{};
  UsualSizes usual{};
  const ExpertKeys* experts = nullptr;
  /// Of a type whose code writes "gelu_new" out, the key that may name another function.
  std::string_view written_out{};
};

/// Every type that is read.
std::span<const Type> all_types();

}  // namespace oracle::transformers
