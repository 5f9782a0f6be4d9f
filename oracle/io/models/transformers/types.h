#pragma once
// What does a type of transformer fix, and what are the keys of its configuration called?

#include <span>
#include <string_view>

namespace oracle::transformers {

/// Names of the keys that nearly all have.
struct KeyNames {
  std::string_view hidden = "hidden_size", layers = "num_hidden_layers",
                   heads = "num_attention_heads", ffn = "intermediate_size",
                   longest = "max_position_embeddings";
};

enum class Norms : bool { layer, rms };
enum class Positions : unsigned char { rotary, learned, relative };
/// What a network of a type is made of: one stack for texts or for images, stages with windows, or
/// an encoder and a decoder.
enum class Family : unsigned char { text, image, windows, encoder_decoder };

struct Type {
  std::string_view name;
  Norms norms = Norms::rms;
  bool gated = true;
  std::string_view activation = "silu";
  Positions positions = Positions::rotary;
  bool query_bias = false;
  bool other_biases = false;  ///< of attention's output and of the MLP
  bool head_bias = false;
  bool tied = false;  ///< where "tie_word_embeddings" does not say
  KeyNames keys{};
  /// Of a type whose code writes "gelu_new" out, the key that may name another function.
  std::string_view written_out{};
  Family family = Family::text;
};

/// Every type that is read.
std::span<const Type> all_types();

}  // namespace oracle::transformers
