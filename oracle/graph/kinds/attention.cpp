// What does fused attention compute and touch?
//
//   y[p, h] = Σ_k softmax_k(q[p, h]·k[k, g]/√d) · v[k, g],   g the key-value head that head h reads
//                                               Dao, FlashAttention-2, arXiv 2307.08691
//
// Inputs: queries of `heads` heads, keys and values of `kv_heads`, each of which serves as many
// heads (grouped queries; Ainslie et al., arXiv 2305.13245). The scores never reach memory. With
// pairs of a query and a key that the mask leaves (causal: s(s+1)/2 of s², in a window of w:
// w(w+1)/2 + (s−w)w), heads of d_qk channels of queries and keys and d_v of values:
//
//   forward     2·heads·pairs·(d_qk + d_v)     two products
//   backward    2·heads·pairs·(3·d_qk + 2·d_v) five: the scores again, dv, dp, dq, dk
//
// In blocks of w positions, as those of an image's windows, a position reads its block alone: s·w
// pairs (Liu et al., Swin transformer, arXiv 2103.14030). A table of relative positions has a
// number for each of its rows and heads, which is added to the scores of all pairs at one distance
// (Raffel et al., T5, arXiv 1910.10683). It fits on chip. As of a softmax, of that sum no FLOPs are
// counted; the gradient of the table is a sum over all pairs.
//
// Inputs and output are kept, and the logarithm of a row's sum in fp32 for each head and position.
// Every position reads all keys and values, so over a sharded sequence these are replicated and
// their gradients partial sums. Key-value heads are independent: shards keep them whole.
//
// Worked: GPT-2's 12 heads of 64, causal, 1024 positions: 1,574,400 FLOPs per token and layer
//                                                          tests/graph/kinds/transformer_test.cpp

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/groups.h"
#include "oracle/graph/kinds/rows.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"heads", "of the queries"},
    {"kv_heads", "of keys and values, a divisor of heads; heads"},
    {"causal", "whether a position reads none after it; false"},
    {"window", "of causal attention, positions that each reads, itself among them; all"},
    {"first",
     "of causal attention on a part of the queries, the position of the first among keys; 0"},
    {"within", "positions in a row that read each other and no others; all"},
    {"relative", "rows of a trained table of numbers for each head, by relative position; none"},
};

constexpr double kLogSumBytes = 4;

[[noreturn]] void refuse_shapes(const Layer& layer, std::span<const Shape> inputs) {
  throw InputError("",
                   "queries of " + to_text(inputs[0]) + ", keys of " + to_text(inputs[1]) +
                       " and values of " + to_text(inputs[2]) + " do not make attention of " +
                       std::to_string(layer.heads.queries) + " heads and " +
                       std::to_string(layer.heads.keys) + " of keys and values",
                   "correct \"heads\", \"kv_heads\" or the features of its inputs");
}

/// `part`: queries are some of the positions, from the first on that is written.
void check_shapes(const Layer& layer, std::span<const Shape> inputs, bool part) {
  const Shape &queries = inputs[0], &keys = inputs[1], &values = inputs[2];
  const Heads& heads = layer.heads;
  const std::int64_t end = heads.first + queries.positions();
  const bool among_keys = part ? end <= keys.positions() : end == keys.positions();
  const bool divides = heads.queries % heads.keys == 0 && queries.channels() % heads.queries == 0 &&
                       values.channels() % heads.keys == 0;
  if (!divides || keys.channels() != queries.channels() / heads.queries * heads.keys ||
      keys.positions() != values.positions() || (heads.causal && !among_keys)) {
    refuse_shapes(layer, inputs);
  }
}

/// Pairs of the first positions of a text, each of which reads `window` up to itself.
double pairs_until(double positions, double window) {
  const double few = std::min(positions, window);
  return few * (few + 1) / 2 + (positions - few) * window;
}

/// Pairs of a query and a key that the mask leaves.
double pairs(const Layer& layer, std::int64_t keys) {
  const auto s = static_cast<double>(layer.input.positions()), all = static_cast<double>(keys);
  if (layer.heads.within > 0) return s * static_cast<double>(layer.heads.within);
  if (!layer.heads.causal) return s * all;
  const auto first = static_cast<double>(layer.heads.first);
  const auto window = static_cast<double>(layer.heads.window);
  return pairs_until(first + s, window) - pairs_until(first, window);
}

void read_block(Layer& layer, const Attributes& attributes, std::int64_t keys) {
  Heads& heads = layer.heads;
  if (attributes.find("within") == nullptr) return;
  heads.within = attributes.integer("within", 1);
  layer.variant = "within";
  const std::int64_t positions = layer.input.positions();
  if (!heads.causal && positions == keys && positions % heads.within == 0) return;
  throw InputError("",
                   "blocks of " + std::to_string(heads.within) + " do not divide " +
                       std::to_string(positions) + " positions that all may read each other",
                   "correct \"within\", or leave out \"causal\"");
}

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape> inputs) {
  Heads& heads = layer.heads;
  heads.queries = attributes.integer("heads", 1);
  heads.keys = attributes.integer("kv_heads", 1, heads.queries);
  heads.causal = attributes.flag("causal", false);
  const std::int64_t keys = inputs[1].positions();
  heads.window = std::min(attributes.integer("window", 1, keys), keys);
  heads.first = attributes.integer("first", 0, 0);
  check_shapes(layer, inputs, attributes.find("first") != nullptr);
  if (heads.window < keys && !heads.causal) {
    throw InputError("", "a window without \"causal\" is not known", "add \"causal\": true");
  }
  if (attributes.find("first") != nullptr && !heads.causal) {
    throw InputError("", "\"first\" without \"causal\" is not known", "add \"causal\": true");
  }
  read_block(layer, attributes, keys);
  const std::int64_t query_size = layer.input.channels() / heads.queries;
  const std::int64_t value_size = inputs[2].channels() / heads.keys;
  layer.output = layer.input;
  layer.output[Axis::channel] = value_size * heads.queries;
  layer.groups = heads.keys;
  layer.mixing = Mixing::whole;
  layer.reach = Reach::pointwise;
  layer.others_read_whole = true;
  layer.other_elements = inputs[1].elements() + inputs[2].elements();
  const auto d_qk = static_cast<double>(query_size), d_v = static_cast<double>(value_size);
  const double pairs_per_output =
      pairs(layer, keys) / (static_cast<double>(layer.input.positions()) * d_v);
  layer.work = {{{2 * pairs_per_output * (d_qk + d_v), 1, 1, 1, 1},
                 {2 * pairs_per_output * (3 * d_qk + 2 * d_v), 2, 2, 1, 2},
                 {}}};
  const std::int64_t relative = attributes.integer("relative", 0, 0);
  if (relative > 0) {
    layer.weights = {
        {"bias", bounded_product({relative, heads.queries}, "the table"), heads.queries}};
    layer.gradient_reads_weights = true;
    layer.work[2] = {pairs_per_output, 0, 0, 1};
  }
  layer.keeps_input = layer.keeps_output = true;
  layer.mask_bytes_per_output = kLogSumBytes / d_v;
}

}  // namespace

const Kind kAttentionKind{
    "attention", "fused attention of queries, keys and values", kAttributes, 3, 3, false, describe};

}  // namespace oracle
