#pragma once
// Of which parts is a transformer made, whatever its file calls them?
//
// Values as a configuration gives them (config_reader.h) and `build` takes them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/graph/graph.h"

namespace oracle::transformers {

/// Queries, keys and values by way of narrow latents (DeepSeek-V2, arXiv 2405.04434, section 2.1).
struct LatentAttention {
  std::int64_t query_rank = 0;  ///< 0: queries have no latent
  std::int64_t rank = 0;        ///< of keys and values; 0: there is no latent attention
  std::int64_t content = 0;     ///< features of a head that bear no position
  std::int64_t rotary = 0;      ///< and those that do; of keys all heads share them
  std::int64_t value = 0;       ///< features of a head's values
};

/// Attention that hands a state from position to position in place of scores: the gated delta net
/// of Qwen3-Next (arXiv 2412.06464), or Mamba-2 (arXiv 2405.21060).
struct LinearAttention {
  std::int64_t heads = 0, value_heads = 0;  ///< of queries and keys, and of values
  std::int64_t head_size = 0, value_size = 0;
  std::int64_t taps = 0;       ///< of the convolution along the text before it
  std::int64_t chunk = 0;      ///< positions that kernels take at once; 0: as is usual
  bool decay = false;          ///< the rule of Mamba-2, which normalizes behind its gate
  bool bias = false;           ///< of what reads the block's input, and of the output
  bool taps_bias = false;      ///< of the convolution
  std::vector<bool> in_layer;  ///< by layer, whether it has such attention; empty: none has
};

struct Experts {
  std::int64_t count = 0;  ///< 0: the MLP is dense
  std::int64_t per_token = 0;
  std::int64_t features = 0;         ///< of each
  std::int64_t shared_features = 0;  ///< of those that every token goes to, together
  std::int64_t latent = 0;           ///< features that tokens are narrowed to for them; 0: all
  bool shared_gate = false;          ///< their sum is weighted by a trained score
  bool correction = false;           ///< the router has a number for each expert
  bool router_bias = false;
  std::vector<bool> in_layer;  ///< by layer, whether it has experts
};

/// What a network for images reads, in patches that are its tokens (ViT, arXiv 2010.11929).
struct Image {
  std::int64_t height = 0, width = 0;  ///< 0: it reads texts
  std::int64_t channels = 3;
  std::int64_t patch_height = 0, patch_width = 0;
  std::int64_t classes = 0;
  bool positions = true;  ///< a trained row is added at each patch
};

/// Blocks on maps of one size (Swin, arXiv 2103.14030). Those of the next stage have half the
/// height, half the width and twice the features.
struct Stage {
  std::int64_t depth = 0, heads = 0, ffn = 0;
};

/// Attention within windows of a map, which each second block moves by half a window.
struct Windows {
  std::int64_t side = 0;
  std::vector<Stage> stages;  ///< none: there are no windows
};

/// A second stack, which reads a text of its own and the output of the first (T5, arXiv
/// 1910.10683).
struct Decoder {
  std::int64_t layers = 0;  ///< 0: there is one stack
  std::int64_t tokens = 0;  ///< of its text; 0: as many as the other's
};

/// What is normalized: what a part reads, what it makes (OLMo 2), both (Gemma 2), or each sum
/// (BERT).
enum class NormPlaces : std::uint8_t { before, after, around, sums };
/// Whether queries and keys are, each head by itself or all heads of a token together (OLMo 2).
enum class HeadNorms : std::uint8_t { none, each, together };

/// What a block that has one part alone is.
enum class Part : std::uint8_t { attention, mlp };

struct Architecture {
  std::string type;  ///< "llama"
  std::int64_t hidden = 0, layers = 0, heads = 0, kv_heads = 0, head_size = 0;
  std::int64_t ffn = 0, vocabulary = 0;
  std::int64_t positions = 0;        ///< rows of the table of learned positions; 0: there is none
  std::int64_t token_types = 0;      ///< rows of the table of segments; 0: there is none
  std::int64_t relative = 0;         ///< rows of a table of relative positions; 0: there is none
  std::int64_t rotary = 0;           ///< features of a head that are turned; 0: none
  std::int64_t longest = 0;          ///< sequence that it is made for; 0: not said
  std::vector<std::int64_t> window;  ///< by layer, positions that each reads; 0: all before it
  std::vector<Part> parts;           ///< by layer, the one that it has; empty: it has both
  std::vector<bool> unturned;        ///< by layer, whether none is turned; empty: all are
  std::string_view activation = "gelu";
  bool activation_by_operations = false;  ///< its code writes them one by one
  bool rms = false;                       ///< norms: of the root mean square
  bool gated = false;                     ///< the MLP has a gate
  bool causal = true;
  bool one_table = false;    ///< of relative positions, for all blocks of a stack
  bool query_bias = false;   ///< of queries, keys and values
  bool output_bias = false;  ///< of attention's output
  bool mlp_bias = false;
  bool head_bias = false;
  bool tied = false;  ///< the head is the table of tokens
  NormPlaces norm_places = NormPlaces::before;
  HeadNorms head_norms = HeadNorms::none;
  bool gated_attention = false;  ///< what attention makes is let through by a sigmoid
  bool parallel = false;         ///< attention and MLP read the same and are added at once
  bool one_norm = false;         ///< of a parallel block: both read one norm's output
  bool embedding_norm = false;   ///< the embedding is normalized (BERT)
  bool head_transform = false;   ///< a dense layer, activation and norm before the head (BERT)
  std::int64_t labels = 0;       ///< that a head tells apart in place of words; 0: words
  std::int64_t read_out = 0;     ///< positions that the head reads, the first ones; 0: all
  bool pooled = false;           ///< a dense layer and tanh before the head (BERT)
  /// Attention is written out: scores reach memory. Else it is one kernel.
  bool written_out = false;
  /// Elements are dropped of the embedding, of what each part adds, and of written-out scores.
  bool drops_embedding = false, drops_parts = false, drops_scores = false;
  LatentAttention latent;
  LinearAttention linear;
  Experts experts;
  Image image;
  Windows windows;
  Decoder decoder;
};

/// The network on texts of `sequence` tokens, which ends in the loss of the next token (of the
/// tokens that are left out, where it is not causal); of images, in that of the class. Throws
/// InputError where parts do not fit.
///
/// Layers: embed, then of block i layers.i.norm1, .q, .k, .v, .attention, .o, .sum1, .norm2, .gate,
/// .up, .act, .down, .sum2 and what else it has, then norm, head, loss. Blocks of two stacks are
/// encoder.layers.i and decoder.layers.i, those of maps stage1.layers.i.
/// Worked: GPT-2, 1024 tokens: 124,439,808 parameters; ViT-B/16: 86,567,656
///                                            tests/conformance/llm_model_counts_test.cpp
Graph build(const Architecture& architecture, const std::string& name, std::int64_t sequence);

}  // namespace oracle::transformers
