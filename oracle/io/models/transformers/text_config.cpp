#include <algorithm>
#include <array>
#include <cmath>

#include "oracle/base/in_quotes.h"
#include "oracle/io/models/transformers/families.h"

namespace oracle::transformers {
namespace {

/// OPT numbers its positions from 2.
constexpr std::int64_t kOptOffset = 2;

/// How the name of a class of Hugging Face Transformers ends whose head is not for words.
struct Task {
  std::string_view suffix;
  bool of_text = false;  ///< it reads one position of a text, else all
};
constexpr std::array kTasks = {Task{"ForSequenceClassification", true},
                               Task{"ForTokenClassification"}, Task{"ForQuestionAnswering"}};

/// The one part of a block, and the letter for it.
struct PartName {
  std::string_view name;
  char letter;
};
constexpr std::array kParts = {PartName{"mamba", 'M'}, PartName{"attention", '*'},
                               PartName{"moe", 'E'}, PartName{"mlp", '-'}};
constexpr const char* kBlockTypes = "layers_block_type";

/// Fills an Architecture from the keys of one type.
class Reader : ConfigKeys {
 public:
  using ConfigKeys::ConfigKeys;

  Architecture run() {
    of_.type = type().name;
    read_sizes();
    read_parts();
    if (type().latents) {
      read_latents();
    } else {
      read_positions();
    }
    if (is_encoder()) read_encoder();
    if (is("phi") || is("gpt_neox")) read_parallel_block();
    read_linear_attention();
    read_windows();
    read_unturned();
    read_experts();
    read_pattern();
    read_attention();
    read_dropout();
    read_head();
    return of_;
  }

 private:
  void read_sizes() {
    const KeyNames& names = type().keys;
    of_.hidden = count(names.hidden);
    of_.layers = count(names.layers, kMostLayers);
    const UsualSizes& usual = type().usual;
    of_.heads = usual_or(names.heads, usual.heads);
    const std::int64_t kv_heads = usual.kv_heads > 0 ? usual.kv_heads : of_.heads;
    of_.kv_heads = is("gpt2") ? of_.heads : count_or("num_key_value_heads", kv_heads);
    of_.head_size = type().latents        ? 1
                    : usual.head_size > 0 ? count_or("head_dim", usual.head_size)
                                          : head_size(of_.hidden, of_.heads);
    of_.ffn = is("gpt2") ? count_or(names.ffn, 4 * of_.hidden) : feed_forward(names.ffn);
    of_.vocabulary = usual_or("vocab_size", usual.vocabulary);
    of_.longest = says(names.longest) ? keys().integer(names.longest, 1, kMostSequence) : 0;
    if (of_.kv_heads > 0 && of_.heads % of_.kv_heads != 0) {
      keys().problem(
          "num_key_value_heads",
          std::to_string(of_.kv_heads) + " do not divide " + std::to_string(of_.heads) + " heads",
          "correct one of them");
    }
  }

  std::int64_t usual_or(std::string_view key, std::int64_t usual) {
    return usual > 0 ? count_or(key, usual) : count(key);
  }

  /// Where all blocks have experts, a dense MLP's width may be left out.
  std::int64_t feed_forward(std::string_view key) {
    return says("moe_intermediate_size") ? count_or(key, 1) : count(key);
  }

  void read_parts() {
    of_.activation = type().activation;
    const std::string_view key = type().written_out;
    of_.activation_by_operations = !key.empty() && (!says(key) || keys().string(key) == "gelu_new");
    of_.rms = type().norms == Norms::rms;
    of_.gated = type().gated;
    const BiasKeys& biases = type().biases;
    of_.query_bias = flag_or(biases.queries, type().biased >= Biased::queries);
    of_.output_bias = flag_or(biases.output, type().biased >= Biased::attention);
    of_.mlp_bias = flag_or(biases.mlp, type().biased == Biased::all);
    of_.head_bias = flag_or(biases.head, type().head_bias);
    of_.tied = flag_or("tie_word_embeddings", type().tied);
    of_.norm_places = type().norm_places;
    of_.head_norms = type().head_norms;
    of_.gated_attention = flag_or("attn_output_gate", type().gated_attention);
    const bool asked = flag_or("use_qk_norm", false);
    if (asked && of_.head_norms == HeadNorms::none) of_.head_norms = HeadNorms::each;
  }

  bool is_encoder() const {
    return type().positions == Positions::learned && type().norm_places == NormPlaces::sums;
  }

  void read_positions() {
    constexpr const char* kKind = "position_embedding_type";
    const bool none = says(kKind) && keys().string(kKind) == "nope";
    if (none || type().positions == Positions::none) return;
    if (type().positions == Positions::learned) {
      of_.positions = of_.longest + (is("opt") ? kOptOffset : 0);
      if (of_.longest == 0) count(type().keys.longest);
      return;
    }
    const double part = of_rope(is("gpt_neox") ? "rotary_pct" : "partial_rotary_factor");
    of_.rotary = std::min(count_or("rotary_dim", of_.head_size), of_.head_size);
    if (part < 1) of_.rotary = std::lround(part * static_cast<double>(of_.head_size)) / 2 * 2;
    if (of_.rotary % 2 == 0) return;
    keys().problem("head_dim", "a head of " + std::to_string(of_.head_size) +
                                   " features cannot be turned in pairs");
  }

  void read_encoder() {
    of_.causal = false;
    of_.embedding_norm = of_.head_transform = true;
    of_.token_types = count_or("type_vocab_size", type().token_types);
  }

  void read_parallel_block() {
    of_.parallel = is("phi") || flag_or("use_parallel_residual", true);
    of_.one_norm = is("phi");
  }

  void read_latents() {
    LatentAttention& latent = of_.latent;
    latent.query_rank = count_or("q_lora_rank", 0);
    latent.rank = count("kv_lora_rank");
    latent.content = count("qk_nope_head_dim");
    latent.rotary = count("qk_rope_head_dim");
    latent.value = count("v_head_dim");
  }

  /// Where "layer_types" does not say which blocks have it, all have but each so many-th.
  void read_linear_attention() {
    const LinearKeys* names = type().linear;
    if (names == nullptr) return;
    LinearAttention& linear = of_.linear;
    linear.heads = count(names->heads);
    linear.value_heads = count(names->value_heads);
    linear.head_size = count(names->head_size);
    linear.value_size = count(names->value_size);
    linear.taps = count(names->taps);
    linear.chunk = count_or(names->chunk, 0);
    linear.bias = flag_or(names->bias, false);
    linear.taps_bias = flag_or(names->taps_bias, names->decay);
    linear.decay = names->decay;
    if (linear.heads > 0 && linear.value_heads % linear.heads != 0) {
      keys().problem(names->value_heads, std::to_string(linear.value_heads) +
                                             " are no multiple of " + std::to_string(linear.heads) +
                                             " heads of keys");
    }
    constexpr std::int64_t kUsualPeriod = 4;
    const std::int64_t period = count_or(names->period, kUsualPeriod);
    for (std::int64_t i = 0; i < of_.layers; ++i) {
      linear.in_layer.push_back(!names->period.empty() && (i + 1) % period != 0);
    }
    if (names->period.empty() && type().pattern.empty()) keys().array("layer_types", true);
  }

  /// What newer files have in place of letters.
  std::string letters_of_types() {
    std::string letters;
    for (const std::string& name : keys().strings(kBlockTypes)) {
      const auto found = std::find_if(kParts.begin(), kParts.end(),
                                      [&](const PartName& part) { return part.name == name; });
      if (found == kParts.end()) {
        keys().problem(kBlockTypes, in_quotes(name) + " is not known here",
                       "of \"mamba\", \"attention\", \"moe\" and \"mlp\"");
      }
      letters += found == kParts.end() ? '-' : found->letter;
    }
    return letters;
  }

  /// "MEM*": Mamba, experts, attention, and "-" for a dense MLP.
  void read_pattern() {
    const std::string_view key = type().pattern;
    if (key.empty()) return;
    const std::string letters = says(kBlockTypes) ? letters_of_types() : keys().string(key);
    if (letters.size() != static_cast<std::size_t>(of_.layers)) {
      return keys().problem(key, "it has not one letter for each block");
    }
    of_.experts.in_layer.assign(letters.size(), false);
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const char letter = letters[i];
      if (std::none_of(kParts.begin(), kParts.end(),
                       [&](const PartName& part) { return part.letter == letter; })) {
        return keys().problem(key, "a block \"" + std::string(1, letter) + "\" is not known here",
                              "M, E, * and - are");
      }
      of_.parts.push_back(letter == 'M' || letter == '*' ? Part::attention : Part::mlp);
      of_.linear.in_layer[i] = letter == 'M';
      of_.experts.in_layer[i] = letter == 'E';
    }
  }

  void read_windows() {
    const bool used = flag_or("use_sliding_window", !of_type("qwen")) && says("sliding_window");
    if (!used) {
      read_layer_types(0);
      return;
    }
    const std::int64_t window = count("sliding_window", kMostSequence);
    const std::int64_t from = of_type("qwen") ? count_or("max_window_layers", 0, 0) : 0;
    const std::int64_t period = whole_blocks();
    for (std::int64_t i = 0; i < of_.layers; ++i) {
      const bool whole = i < from || (period > 0 && (i + 1) % period == 0);
      of_.window.push_back(whole ? 0 : window);
    }
    read_layer_types(window);
  }

  /// Each so many-th block reads all positions: 4, or "LLLG".
  std::int64_t whole_blocks() {
    constexpr const char* kKey = "sliding_window_pattern";
    const json::Node* node = root().find(kKey);
    if (node == nullptr || node->type != json::Type::string) return count_or(kKey, type().whole);
    return static_cast<std::int64_t>(keys().string(kKey).size());
  }

  /// Some types turn queries and keys in some blocks only.
  void read_unturned() {
    const std::int64_t period = count_or("no_rope_layer_interval", type().unturned);
    const bool by_windows = type().turns_windows && !of_.window.empty();
    if (type().unturned == 0 && !by_windows) return;
    for (std::int64_t i = 0; i < of_.layers; ++i) {
      const auto place = static_cast<std::size_t>(i);
      of_.unturned.push_back(by_windows ? of_.window[place] == 0 : (i + 1) % period == 0);
    }
    const json::Node* turned =
        says("no_rope_layers") ? keys().array("no_rope_layers", false) : nullptr;
    if (turned == nullptr || turned->items.empty()) return;
    if (turned->items.size() < of_.unturned.size()) {
      return keys().problem("no_rope_layers", "it has not one entry for each block");
    }
    for (std::size_t i = 0; i < of_.unturned.size(); ++i) {
      const json::Node& node = turned->items[i];
      of_.unturned[i] = node.type == json::Type::integer && node.integer == 0;
    }
  }

  /// The newer way to say which blocks have a window.
  void read_layer_types(std::int64_t window) {
    if (!says("layer_types")) return;
    const std::vector<std::string> types = keys().strings("layer_types");
    if (types.size() != static_cast<std::size_t>(of_.layers)) {
      return keys().problem("layer_types", "it has not one entry for each block");
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
      const bool linear = types[i] == "linear_attention" || types[i] == "mamba";
      if (linear && type().linear != nullptr) {
        of_.linear.in_layer[i] = true;
      } else if (types[i] == "sliding_attention" && window > 0) {
        of_.window[i] = window;
      } else if (types[i] == "full_attention" || types[i] == "attention") {
        if (window > 0) of_.window[i] = 0;
        if (type().linear != nullptr) of_.linear.in_layer[i] = false;
      } else {
        return keys().problem("layer_types", in_quotes(types[i]) + " is not known here",
                              "of \"full_attention\" and, with \"sliding_window\", "
                              "\"sliding_attention\"");
      }
    }
  }

  void read_experts() {
    const ExpertKeys* names = type().experts;
    if (names == nullptr) return;
    if (names->may_lack && count_or(names->count, 0, 0) == 0) {
      if (names->shared_alone) of_.ffn = count(names->shared_features);
      return;
    }
    Experts& experts = of_.experts;
    experts.count = count(names->count);
    experts.per_token = count(names->per_token);
    experts.features = count(names->features);
    experts.shared_features = !names->shared_count.empty()
                                  ? count_or(names->shared_count, 0, 0) * experts.features
                              : !names->shared_features.empty() ? count(names->shared_features)
                                                                : 0;
    experts.latent = count_or(names->latent, 0);
    experts.shared_gate = names->shared_gate;
    experts.correction = names->correction;
    experts.router_bias = names->router_bias;
    const std::int64_t dense = count_or(names->first, 0, 0), period = count_or(names->period, 1);
    for (std::int64_t i = 0; i < of_.layers; ++i) {
      const std::int64_t number = names->from_zero ? i : i + 1;
      experts.in_layer.push_back(i >= dense && number % period == 0);
    }
    read_dense_layers();
    if (experts.per_token > experts.count) {
      keys().problem(names->per_token, "is more than there are experts");
    }
  }

  /// "eager" writes it out; other ways are one kernel.
  void read_attention() {
    for (const char* key : {"attn_implementation", "_attn_implementation"}) {
      if (says(key)) of_.written_out |= keys().string(key) == "eager";
    }
    if (!of_.written_out || (of_.heads == of_.kv_heads && of_.window.empty())) return;
    keys().problem("attn_implementation",
                   "eager attention with a window, or with fewer heads of keys, is not known",
                   "leave it out, for attention in one kernel");
  }

  void read_dropout() {
    of_.drops_embedding = drops({"embd_pdrop", "hidden_dropout_prob", "hidden_dropout"});
    of_.drops_parts = drops({"resid_pdrop", "hidden_dropout_prob", "hidden_dropout", "dropout"});
    of_.drops_scores = drops({"attn_pdrop", "attention_probs_dropout_prob", "attention_dropout"});
  }

  /// The class that a checkpoint was saved from says for what its head is; else it tells words.
  void read_head() {
    const bool encoder = is_encoder();
    if (encoder) of_.read_out = count_or("max_predictions_per_seq", 0);
    const Task* task = task_of_head();
    if (task == nullptr) return;
    of_.tied = of_.head_transform = false;
    of_.labels = labels();
    of_.read_out = task->of_text ? 1 : 0;
    of_.pooled = task->of_text && encoder;
    of_.head_bias = !task->of_text || encoder;
  }

  const Task* task_of_head() {
    if (!says("architectures")) return nullptr;
    for (const std::string& saved : keys().strings("architectures")) {
      for (const Task& task : kTasks) {
        if (saved.ends_with(task.suffix)) return &task;
      }
    }
    return nullptr;
  }

  /// The names of classes are counted; without them there are two, as of a span its ends.
  std::int64_t labels() {
    const json::Node* names = root().find("id2label");
    const bool named = names != nullptr && names->type == json::Type::object;
    return named && !names->members.empty() ? static_cast<std::int64_t>(names->members.size()) : 2;
  }

  void read_dense_layers() {
    const json::Node* layers =
        says("mlp_only_layers") ? keys().array("mlp_only_layers", false) : nullptr;
    if (layers == nullptr) return;
    for (const json::Node& node : layers->items) {
      if (node.type != json::Type::integer || node.integer < 0 || node.integer >= of_.layers) {
        return keys().problem("mlp_only_layers", "its entries are numbers of blocks, from 0");
      }
      of_.experts.in_layer[static_cast<std::size_t>(node.integer)] = false;
    }
  }

  Architecture of_;
};

}  // namespace

Architecture read_text(const json::Document& document, json::Problems& problems) {
  return Reader(document, problems).run();
}

}  // namespace oracle::transformers
