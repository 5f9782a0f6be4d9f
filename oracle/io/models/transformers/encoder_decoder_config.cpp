#include <array>

#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/io/models/transformers/families.h"

namespace oracle::transformers {
namespace {

constexpr std::int64_t kUsualBuckets = 32;
constexpr std::string_view kGated = "gated-";

/// Functions of "feed_forward_proj", and what they are called here.
struct Function {
  std::string_view name, here;
};
constexpr std::array kFunctions = {Function{"relu", "relu"}, Function{"gelu", "gelu"},
                                   Function{"gelu_new", "gelu"}, Function{"silu", "silu"},
                                   Function{"swish", "silu"}};

/// "relu", or "gated-gelu": a function, and whether a gate goes through it.
void read_feed_forward(ConfigKeys& keys, Architecture& of) {
  constexpr std::string_view kKey = "feed_forward_proj";
  const std::string written =
      keys.says(kKey) ? keys.keys().string(kKey) : std::string(keys.type().activation);
  of.gated = written.starts_with(kGated);
  const std::string_view function = std::string_view(written).substr(of.gated ? kGated.size() : 0);
  for (const Function& known : kFunctions) {
    if (known.name != function) continue;
    of.activation = known.here;
    if (!of.gated || known.here != "relu") return;
  }
  keys.keys().problem(kKey, in_quotes(written) + " is not known",
                      "write \"relu\", \"gelu\", \"silu\", \"gated-gelu\" or \"gated-silu\"");
}

}  // namespace

Architecture read_encoder_decoder(const json::Document& document, json::Problems& problems) {
  ConfigKeys keys(document, problems);
  const Type& type = keys.type();
  const KeyNames& names = type.keys;
  Architecture of;
  of.type = type.name;
  of.rms = type.norms == Norms::rms;
  of.hidden = keys.count(names.hidden);
  of.layers = keys.count(names.layers, kMostLayers);
  of.decoder.layers =
      keys.says("num_decoder_layers") ? keys.count("num_decoder_layers", kMostLayers) : of.layers;
  of.heads = of.kv_heads = keys.count(names.heads);
  of.head_size = keys.count("d_kv");
  of.ffn = keys.count(names.ffn);
  of.vocabulary = keys.count("vocab_size");
  of.longest = keys.says(names.longest) ? keys.keys().integer(names.longest, 1, kMostSequence) : 0;
  of.relative = keys.count_or("relative_attention_num_buckets", kUsualBuckets);
  of.one_table = true;
  of.tied = keys.flag_or("tie_word_embeddings", type.tied);
  read_feed_forward(keys, of);
  return of;
}

}  // namespace oracle::transformers
