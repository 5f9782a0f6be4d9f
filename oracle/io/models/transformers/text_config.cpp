#include <array>
#include <cmath>

#include "oracle/io/models/transformers/families.h"

namespace oracle::transformers {
namespace {

/// OPT numbers its positions from 2.
constexpr std::int64_t kOptOffset = 2;
/// Gemma 2 and 3 read all positions in each second and each sixth block.
constexpr std::int64_t kGemma2Period = 2, kGemma3Period = 6;

/// How the name of a class of Hugging Face Transformers ends whose head is not for words.
struct Task {
  std::string_view suffix;
  bool of_text = false;  ///< it reads one position of a text, else all
};
constexpr std::array kTasks = {Task{"ForSequenceClassification", true},
                               Task{"ForTokenClassification"}, Task{"ForQuestionAnswering"}};

/// Fills an Architecture from the keys of one type.
class Reader : ConfigKeys {
 public:
  using ConfigKeys::ConfigKeys;

  Architecture run() {
    of_.type = type().name;
    read_sizes();
    read_parts();
    if (!of_type("deepseek")) read_positions();
    if (is("bert") || is("roberta")) read_encoder();
    if (is("phi") || is("gpt_neox")) read_parallel_block();
    if (of_type("deepseek")) read_latents();
    read_windows();
    read_experts();
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
    of_.heads = count(names.heads);
    of_.kv_heads = is("gpt2") ? of_.heads : count_or("num_key_value_heads", of_.heads);
    of_.head_size = of_type("deepseek") ? 1 : head_size(of_.hidden, of_.heads);
    of_.ffn = is("gpt2") ? count_or(names.ffn, 4 * of_.hidden) : feed_forward(names.ffn);
    of_.vocabulary = count("vocab_size");
    of_.longest = says(names.longest) ? keys().integer(names.longest, 1, kMostSequence) : 0;
    if (of_.kv_heads > 0 && of_.heads % of_.kv_heads != 0) {
      keys().problem(
          "num_key_value_heads",
          std::to_string(of_.kv_heads) + " do not divide " + std::to_string(of_.heads) + " heads",
          "correct one of them");
    }
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
    of_.query_bias = flag_or("attention_bias", type().query_bias);
    of_.output_bias = flag_or("attention_bias", type().other_biases);
    of_.mlp_bias = flag_or("mlp_bias", type().other_biases);
    of_.head_bias = type().head_bias;
    of_.tied = flag_or("tie_word_embeddings", type().tied);
    of_.head_norms = of_type("qwen3") || is("gemma3_text");
    of_.norms_around = is("gemma2") || is("gemma3_text");
  }

  void read_positions() {
    if (type().positions == Positions::learned) {
      of_.positions = of_.longest + (is("opt") ? kOptOffset : 0);
      if (of_.longest == 0) count(type().keys.longest);
      return;
    }
    const char* key = is("gpt_neox") ? "rotary_pct" : "partial_rotary_factor";
    const double part = says(key) ? keys().number(key, 0, 1) : 1;
    of_.rotary = of_.head_size;
    if (part < 1) of_.rotary = std::lround(part * static_cast<double>(of_.head_size)) / 2 * 2;
    if (of_.rotary % 2 == 0) return;
    keys().problem("head_dim", "a head of " + std::to_string(of_.head_size) +
                                   " features cannot be turned in pairs");
  }

  void read_encoder() {
    of_.causal = false;
    of_.norm_after = of_.embedding_norm = of_.head_transform = true;
    of_.token_types = count_or("type_vocab_size", 2);
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

  void read_windows() {
    const bool used = flag_or("use_sliding_window", !of_type("qwen"));
    if (!used || !says("sliding_window")) return;
    const std::int64_t window = count("sliding_window", kMostSequence);
    const std::int64_t from = of_type("qwen") ? count_or("max_window_layers", 0, 0) : 0;
    std::int64_t period = is("gemma2") ? kGemma2Period : is("gemma3_text") ? kGemma3Period : 0;
    period = count_or("sliding_window_pattern", period);
    for (std::int64_t i = 0; i < of_.layers; ++i) {
      const bool whole = i < from || (period > 0 && (i + 1) % period == 0);
      of_.window.push_back(whole ? 0 : window);
    }
    read_layer_types(window);
  }

  /// The newer way to say which blocks have a window.
  void read_layer_types(std::int64_t window) {
    if (!says("layer_types")) return;
    const std::vector<std::string> types = keys().strings("layer_types");
    if (types.size() != static_cast<std::size_t>(of_.layers)) {
      return keys().problem("layer_types", "it has not one entry for each block");
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
      of_.window[i] = types[i] == "sliding_attention" ? window : 0;
    }
  }

  void read_experts() {
    Experts& experts = of_.experts;
    const char* counted = is("mixtral")                   ? "num_local_experts"
                          : of_type("deepseek")           ? "n_routed_experts"
                          : type().name.ends_with("_moe") ? "num_experts"
                                                          : nullptr;
    if (counted == nullptr || (of_type("deepseek") && !says(counted))) return;
    experts.count = count(counted);
    experts.per_token = count("num_experts_per_tok");
    experts.features = is("mixtral") ? of_.ffn : count("moe_intermediate_size");
    if (of_type("deepseek")) {
      experts.shared_features = count_or("n_shared_experts", 0, 0) * experts.features;
      experts.correction = is("deepseek_v3");
    } else if (is("qwen2_moe")) {
      experts.shared_features = count("shared_expert_intermediate_size");
      experts.shared_gate = true;
    }
    const std::int64_t dense = count_or("first_k_dense_replace", 0, 0);
    const std::int64_t period =
        count_or(of_type("deepseek") ? "moe_layer_freq" : "decoder_sparse_step", 1);
    for (std::int64_t i = 0; i < of_.layers; ++i) {
      const std::int64_t number = of_type("deepseek") ? i : i + 1;
      experts.in_layer.push_back(i >= dense && number % period == 0);
    }
    read_dense_layers();
    if (experts.per_token > experts.count) {
      keys().problem("num_experts_per_tok", "is more than there are experts");
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
    const bool encoder = is("bert") || is("roberta");
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
