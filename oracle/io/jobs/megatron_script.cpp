#include "oracle/io/jobs/megatron_script.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "oracle/io/models/transformers/config_keys.h"

namespace oracle::megatron {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

/// The one argument that matters of those with several values.
constexpr std::string_view kList = "recompute_modules";
/// A word with its variables has no more letters: each may double the one before.
constexpr std::size_t kLongestWord = std::size_t{1} << 14U, kLongestNumber = 20;
constexpr std::int64_t kWordsOfGpt2 = 50257, kWordsOfLlama2 = 32000, kPaddedTo = 128;

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

/// Words as a shell has them: without quotes, comments and ends of lines behind a backslash.
/// Parentheses of lists are none, those of arithmetic are one: "$((2*8))".
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool begun = false;
  const auto end_word = [&] {
    if (begun) words.push_back(word);
    word.clear();
    begun = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (quote != 0) {
      if (letter == quote) {
        quote = 0;
      } else {
        word += letter;
      }
    } else if (letter == '"' || letter == '\'') {
      quote = letter;
      begun = true;
    } else if (text.compare(i, 3, "$((") == 0) {
      const std::size_t close = std::min(text.find("))", i), text.size());
      for (const char inside : text.substr(i, close - i)) {
        if (!is_blank(inside)) word += inside;
      }
      word += "))";
      begun = true;
      i = close + 1;
    } else if (letter == '#' && !begun) {
      i = std::min(text.find('\n', i), text.size());
    } else if (letter == '\\') {
      ++i;
    } else if (is_blank(letter) || letter == ';' || letter == ')' || letter == '(') {
      end_word();
    } else {
      word += letter;
      begun = true;
    }
  }
  end_word();
  return words;
}

bool is_of_variable(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_';
}

/// Of whole numbers with + - * / and no parentheses; nothing where there is anything else.
std::optional<std::int64_t> computed(std::string_view text) {
  constexpr double kMost = 1e15;
  double sum = 0, product = 0;
  char operation = '+';
  while (true) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || (operation == '/' && number == 0)) return std::nullopt;
    const auto value = static_cast<double>(number);
    if (operation == '*') product *= value;
    if (operation == '/') product = std::trunc(product / value);
    if (operation == '+' || operation == '-') {
      sum += product;
      product = operation == '+' ? value : -value;
    }
    if (std::abs(product) > kMost || std::abs(sum) > kMost) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (text.empty()) return static_cast<std::int64_t>(sum + product);
    operation = text.front();
    if (std::string_view("+-*/").find(operation) == std::string_view::npos) return std::nullopt;
    text.remove_prefix(1);
  }
}

/// Within "$((A*8))" a name is its variable's value.
std::string without_names(std::string_view text, const Values& variables) {
  std::string numbers;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_of_variable(text[end])) ++end;
    const auto found = variables.find(text.substr(i, end - i));
    const bool is_name =
        end > i && found != variables.end() && found->second.size() <= kLongestNumber;
    if (end == i) ++end;
    numbers += is_name ? std::string_view(found->second) : text.substr(i, end - i);
    i = end;
  }
  return numbers;
}

/// The text in which each "$((2*8))" is its number, where it has one.
std::string with_numbers(std::string text, const Values& variables) {
  for (std::size_t at = text.find("$(("); at != std::string::npos; at = text.find("$((", at + 1)) {
    const std::size_t close = text.find("))", at);
    if (close == std::string::npos) break;
    const std::string_view inner = std::string_view(text).substr(at + 3, close - at - 3);
    const auto number = computed(without_names(inner, variables));
    if (number) text.replace(at, close + 2 - at, std::to_string(*number));
  }
  return text;
}

/// The word with what variables hold, as far as they are set: $A, ${A}, ${A:-usual}.
std::string filled_in(const std::string& word, const Values& variables) {
  if (word.size() > kLongestWord) return word;
  std::string text;
  bool computes = false;
  for (std::size_t i = 0; i < word.size();) {
    const bool is_arithmetic = word.compare(i, 3, "$((") == 0;
    computes |= is_arithmetic;
    if (word[i] != '$' || is_arithmetic) {
      text += word[i++];
      continue;
    }
    const bool braces = i + 1 < word.size() && word[i + 1] == '{';
    std::size_t end = i + (braces ? 2 : 1);
    const std::size_t begin = end;
    while (end < word.size() && is_of_variable(word[end])) ++end;
    const std::string name = word.substr(begin, end - begin);
    std::string usual;
    std::size_t next = end;
    if (braces) {
      const std::size_t close = std::min(word.find('}', end), word.size());
      if (word.compare(end, 2, ":-") == 0) usual = word.substr(end + 2, close - end - 2);
      next = std::min(close + 1, word.size());
    }
    const auto found = variables.find(name);
    if (found != variables.end()) {
      text += found->second;
    } else {
      text += usual.empty() ? word.substr(i, next - i) : usual;
    }
    if (text.size() > kLongestWord) return word;
    i = next;
  }
  return computes ? with_numbers(std::move(text), variables) : text;
}

/// "NAME=value": where its value begins.
std::size_t value_of_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string::npos) return 0;
  const bool is_name =
      std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), is_of_variable);
  return is_name ? equals + 1 : 0;
}

/// "--num-layers" as an argument's name.
std::string argument_of(std::string_view flag) {
  std::string name(flag.substr(2));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// The last of each counts, as it does for Megatron-LM. A variable may hold many of them, for a
/// line that comes later.
void take_flags(const std::vector<std::string>& words, bool in_variable, Values& variables,
                Values& flags) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = filled_in(words[i], variables);
    if (const std::size_t value = value_of_assignment(word); value > 0) {
      variables[word.substr(0, value - 1)] = word.substr(value);
      if (in_variable || word.find("--", value) == std::string::npos) continue;
      take_flags(words_of(std::string_view(word).substr(value)), true, variables, flags);
      continue;
    }
    if (!word.starts_with("--") || word.size() == 2) continue;
    if (!in_variable && std::any_of(word.begin(), word.end(), is_blank)) {
      take_flags(words_of(word), true, variables, flags);
      continue;
    }
    if (const std::size_t equals = word.find('='); equals != std::string::npos) {
      flags[argument_of(word.substr(0, equals))] = word.substr(equals + 1);
      continue;
    }
    const std::string next = i + 1 < words.size() ? filled_in(words[i + 1], variables) : "--";
    const bool has_value =
        !next.starts_with("--") && !next.empty() && value_of_assignment(next) == 0;
    std::string& value = flags[argument_of(word)] = has_value ? next : "True";
    if (!has_value || argument_of(word) != kList) continue;
    for (i += 2; i < words.size() && !words[i].starts_with("--"); ++i) value += " " + words[i];
    --i;
  }
}

std::optional<std::int64_t> number_of(const Values& flags, std::string_view name) {
  const auto found = flags.find(name);
  if (found == flags.end()) return std::nullopt;
  return whole_number(found->second, transformers::kMostExtent);
}

/// What Megatron-LM makes of arguments that were not given.
void fill_defaults(Values& flags) {
  const auto put = [&](const char* name, const std::string& value) { flags.emplace(name, value); };
  const bool no_bias = flags.contains("disable_bias_linear");
  put("add_bias_linear", no_bias ? "False" : "True");
  put("hidden_dropout", "0.1");
  put("attention_dropout", "0.1");
  put("normalization", "LayerNorm");
  put("moe_router_topk", "2");
  const auto hidden = number_of(flags, "hidden_size");
  const auto heads = number_of(flags, "num_attention_heads");
  if (hidden) {
    const std::int64_t wide = 4 * *hidden;
    const bool gated = flags.contains("swiglu");
    put("ffn_hidden_size", std::to_string(gated ? wide * 2 / 3 / 64 * 64 : wide));
  }
  if (hidden && heads && *hidden % *heads == 0) {
    put("kv_channels", std::to_string(*hidden / *heads));
  }
  // Those of torchrun, then of deepspeed.
  auto each = number_of(flags, "nproc_per_node"), nodes = number_of(flags, "nnodes");
  if (!each) each = number_of(flags, "num_gpus");
  if (!nodes) nodes = number_of(flags, "num_nodes");
  if (each) put("world_size", std::to_string(*each * nodes.value_or(1)));
  const auto layers = number_of(flags, "num_layers");
  const auto chunk = number_of(flags, "num_layers_per_virtual_pipeline_stage");
  const std::int64_t stages = number_of(flags, "pipeline_model_parallel_size").value_or(1);
  if (layers && chunk && *layers / stages >= *chunk) {
    put("virtual_pipeline_model_parallel_size", std::to_string(*layers / stages / *chunk));
  }
  const auto chunks = number_of(flags, "num_virtual_stages_per_pipeline_rank");
  if (chunks) put("virtual_pipeline_model_parallel_size", std::to_string(*chunks));
  for (const auto& [name, value] : {std::pair{"kv_lora_rank", "32"},
                                    {"qk_head_dim", "128"},
                                    {"qk_pos_emb_head_dim", "64"},
                                    {"v_head_dim", "128"}}) {
    put(name, value);
  }
  const bool narrow = flags.contains("fp16") || flags.contains("grad_reduce_in_bf16");
  put("accumulate_allreduce_grads_in_fp32", narrow ? "False" : "True");
}

/// Of tokenizers that have one vocabulary; GPT-2's comes with a file of merges.
std::optional<std::int64_t> words_of_tokenizer(const Values& flags) {
  const auto found = flags.find("tokenizer_type");
  const std::string_view type = found == flags.end() ? "" : std::string_view(found->second);
  if (type == "GPT2BPETokenizer" || (type.empty() && flags.contains("merge_file"))) {
    return kWordsOfGpt2;
  }
  if (type == "Llama2Tokenizer") return kWordsOfLlama2;
  return std::nullopt;
}

std::int64_t padded_vocabulary(const Values& flags) {
  auto words = number_of(flags, "vocab_size");
  if (!words) words = words_of_tokenizer(flags);
  if (!words) return 0;
  const std::int64_t tensor = number_of(flags, "tensor_model_parallel_size").value_or(1);
  const std::int64_t whole =
      tensor * number_of(flags, "make_vocab_size_divisible_by").value_or(kPaddedTo);
  return (*words + whole - 1) / whole * whole;
}

}  // namespace

Log parse_script(std::string_view text, std::string name) {
  Log log;
  log.name = std::move(name);
  Values variables;
  take_flags(words_of(text), false, variables, log.arguments);
  fill_defaults(log.arguments);
  log.padded_vocabulary = padded_vocabulary(log.arguments);
  return log;
}

}  // namespace oracle::megatron
