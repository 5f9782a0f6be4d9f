// What does linear attention compute and touch?
//
//   delta   S[p] = α·S[p−1] + β·k̂·(v − α·S[p−1]ᵀ·k̂)ᵀ    y[p] = S[p]ᵀ·q̂/√d_k
//           α = exp(−exp(a)·δ),  δ = softplus(x + s),  β = 1/(1 + exp(−z))
//                                    gated delta net: Yang et al., arXiv 2412.06464
//   decay   S[p] = α·S[p−1] + δ·k·vᵀ                     y[p] = S[p]ᵀ·q + d·v
//                                    Mamba-2: Dao & Gu, arXiv 2405.21060
//
// Inputs: queries and keys of `heads` heads (Mamba-2 calls them C and B), values of `value_heads`,
// and for each of these a number x of decay and, of delta, a number z of writing. Delta divides
// queries and keys by their lengths (q̂, k̂). Trained are a, s and, of decay, d of each head of
// values. A state S of d_k x d_v goes from position to position.
//
// Kernels take chunks of C positions (Yang et al., arXiv 2406.06484): within a chunk they form
// products of C x C, of delta an inverse of a triangle besides, and from chunk to chunk they hand
// the state. For each position and head of values, of which h share a head of keys, in FLOPs:
//
//   delta   2C·(3·d_k + 2·d_v) + 6·d_k·d_v    backward as much twice, and
//                                             2C·(d_k + d_v) + 4·d_k·d_v formed again
//   decay   2C·(d_k/h + d_v) + 4·d_k·d_v      backward as much twice, and 2·d_k·d_v formed again
//
// What they move is counted in values, kernel by kernel: of flash-linear-attention 0.5 seven
// forward and twelve backward, of mamba_ssm 2 five and eleven. Inputs and both gates are kept, the
// states at the ends of chunks are formed again.
//
// Positions wait for each other, so that a text cut into parts is gathered; heads are independent.
//
// Worked: 16 heads and 32 of values, of 128 each, 4096 positions: 23.6 GFLOP forward, 60.1 backward
//                                                      tests/graph/kinds/linear_attention_test.cpp

#include "oracle/base/error.h"
#include "oracle/graph/kinds/rows.h"

namespace oracle {
namespace {

constexpr AttributeDoc kAttributes[] = {
    {"heads", "of queries and of keys"},
    {"value_heads", "of values, a multiple of heads; heads"},
    {"rule", "delta, or decay with one gate; delta"},
    {"chunk", "positions that kernels take at once; 64, of decay 128"},
};

constexpr std::int64_t kChunkOfDelta = 64, kChunkOfDecay = 128;
constexpr std::size_t kGates = 3;  ///< number of the first input that is one
constexpr double kFloatBytes = 4;

[[noreturn]] void refuse_shapes(const Layer& layer, std::span<const Shape> inputs) {
  std::string shapes;
  for (const Shape& shape : inputs) shapes += (shapes.empty() ? "" : ", ") + to_text(shape);
  throw InputError("",
                   "inputs of " + shapes + " do not make linear attention of " +
                       std::to_string(layer.heads.keys) + " heads and " +
                       std::to_string(layer.heads.values) + " of values",
                   "give queries and keys as many features, and decay and writing one for each "
                   "head of values");
}

void check_shapes(const Layer& layer, std::span<const Shape> inputs, bool delta) {
  const std::int64_t heads = layer.heads.keys, values = layer.heads.values;
  bool fits = inputs.size() == (delta ? kGates + 2 : kGates + 1) && inputs[1] == inputs[0] &&
              values % heads == 0 && inputs[0].channels() % heads == 0 &&
              inputs[2].channels() % values == 0;
  for (const Shape& gate : inputs.subspan(kGates)) fits = fits && gate.channels() == values;
  for (const Shape& input : inputs) fits = fits && input.positions() == inputs[0].positions();
  if (!fits) refuse_shapes(layer, inputs);
}

/// Of one position and head of values: FLOPs, and values that the kernels move.
struct Costs {
  double forward, backward, forward_moves, backward_moves;
};

Costs delta_costs(double key, double value, double chunk) {
  const double state = key * value, states = state / chunk;
  const double forward = 2 * chunk * (3 * key + 2 * value) + 6 * state;
  return {forward, 2 * forward + 2 * chunk * (key + value) + 4 * state,
          7 * key + 6 * value + 6 * chunk + 2 * states,
          20 * key + 15 * value + 2 * chunk + 4 * states};
}

/// Heads that share keys read them and the products within a chunk once. States are of fp32.
Costs decay_costs(double key, double value, double chunk, double shared) {
  const double state = key * value, states = 2 * state / chunk, once = (key + chunk) / shared;
  const double forward = 2 * chunk * (key / shared + value) + 4 * state;
  return {forward, 2 * forward + 2 * state, 4 * once + 3 * value + 4 * states,
          12 * once + 10 * value + 9 * states};
}

void describe(Layer& layer, const Attributes& attributes, std::span<const Shape> inputs) {
  Heads& heads = layer.heads;
  heads.keys = heads.queries = attributes.integer("heads", 1);
  heads.values = attributes.integer("value_heads", 1, heads.keys);
  const bool delta = attributes.choice("rule", {"delta", "decay"}) == 0;
  heads.chunk = attributes.integer("chunk", 1, delta ? kChunkOfDelta : kChunkOfDecay);
  check_shapes(layer, inputs, delta);
  layer.variant = delta ? "delta" : "decay";
  layer.output = inputs[2];
  layer.groups = heads.keys;
  layer.mixing = Mixing::whole;
  layer.reach = Reach::whole;
  for (const Shape& input : inputs.subspan(1)) layer.other_elements += input.elements();
  layer.weights = {{"decay", heads.values, heads.values}, {"step", heads.values, heads.values}};
  if (!delta) layer.weights.push_back({"skip", heads.values, heads.values});
  const std::int64_t key_size = layer.input.channels() / heads.keys;
  const std::int64_t value_size = layer.output.channels() / heads.values;
  const std::int64_t sharing = heads.values / heads.keys;
  const auto key = static_cast<double>(key_size), value = static_cast<double>(value_size),
             chunk = static_cast<double>(heads.chunk), shared = static_cast<double>(sharing);
  const Costs costs =
      delta ? delta_costs(key, value, chunk) : decay_costs(key, value, chunk, shared);
  layer.work = {{{costs.forward / value, 0, costs.forward_moves / value, 1},
                 {costs.backward / value, 0, costs.backward_moves / value, 1},
                 {4 / value, 0, 0, 1}}};
  layer.keeps_input = true;
  layer.gradient_reads_weights = true;
  layer.mask_bytes_per_output = 2 * kFloatBytes / value;
  const std::int64_t positions = layer.input.positions();
  const std::int64_t chunks = (positions + heads.chunk - 1) / heads.chunk;
  layer.scratch_bytes_per_output[1] =
      kFloatBytes * key * static_cast<double>(chunks) / static_cast<double>(positions);
}

}  // namespace

const Kind kLinearAttentionKind{"linear_attention",
                                "attention that hands a state from position to position",
                                kAttributes,
                                kGates + 1,
                                kGates + 2,
                                false,
                                describe};

}  // namespace oracle
