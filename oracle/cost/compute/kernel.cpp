#include "oracle/cost/compute/kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "oracle/cost/compute/composed.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/plan/promotion.h"

namespace oracle {
namespace {

/// Fewer output features per group than this make no matrix product.
constexpr std::int64_t kLeastProductWidth = 4;
/// Granularity in which matrix units take features [bits]: 8 of 16 bits, as wider ones are given.
constexpr std::int64_t kFeatureGranularity = 128, kWideBits = 16;

constexpr std::int64_t kImageChannels = 3;

struct Features {
  std::int64_t in, out;  ///< of one group
};

Features features_of(const Piece& piece) {
  return {std::max<std::int64_t>(piece.input.channels() / piece.groups, 1),
          std::max<std::int64_t>(piece.output.channels() / piece.groups, 1)};
}

/// Minimal filtering exists for square undilated windows over height and width at stride 1.
bool may_be_filtered(const Layer& layer, const Piece& piece) {
  const Window& window = layer.window;
  using Extents = std::array<std::int64_t, 3>;
  constexpr Extents kOnes = {1, 1, 1};
  return piece.groups == 1 && window.kernel[0] == 1 && window.kernel[1] == window.kernel[2] &&
         window.kernel[1] > 1 && window.stride == kOnes && window.dilation == kOnes &&
         !layer.transposed;
}

void set_product(KernelDemand& out, const Layer& layer, const Piece& piece, Pass pass) {
  const Features features = features_of(piece);
  const std::int64_t positions = piece.samples * piece.output.positions();
  out.groups = piece.groups;
  out.n = features.out;
  switch (pass) {
    case Pass::backward_data:
      out.m = piece.samples * piece.input.positions();
      out.n = features.in;
      out.k = features.out * layer.window.volume();
      break;
    case Pass::backward_weights:
      out.m = piece.reduction;
      out.k = positions;
      break;
    default:
      out.m = positions;
      out.k = piece.reduction;
  }
}

void describe_contraction(KernelDemand& out, const Layer& layer, const Piece& piece, Pass pass,
                          const Training& training) {
  const Features features = features_of(piece);
  set_product(out, layer, piece, pass);
  if (piece.experts > 1) {
    // Rows in even shares.
    std::int64_t& rows = pass == Pass::backward_weights ? out.k : out.m;
    rows = (rows + piece.experts - 1) / piece.experts;
    out.groups *= piece.experts;
  }
  out.pass = pass;
  const bool worth = piece.groups == 1 || features.out >= kLeastProductWidth;
  const bool convolves = layer.kind != nullptr && layer.kind->convolves;
  if (!worth) {
    out.form = KernelForm::depthwise;
  } else {
    out.form = convolves ? KernelForm::convolution : KernelForm::product;
  }
  out.narrow = is_narrow(layer, training.precision);
  const std::int64_t granularity =
      kFeatureGranularity / (out.narrow ? training.precision.narrow.bits : kWideBits);
  out.aligned = features.in % granularity == 0 && features.out % granularity == 0;
  if (pass == Pass::backward_weights && layer.weights.size() > 1) out.kernels = 2;
  if (!convolves) return;
  const Window& window = layer.window;
  out.window = window.volume();
  if (!layer.transposed) out.stride = window.stride[0] * window.stride[1] * window.stride[2];
  out.positions = piece.samples * piece.output.positions();
  out.data = Bytes{static_cast<double>(piece.samples * piece.input.elements()) *
                   training.precision.activation_bytes};
  out.workspace = training.framework.workspace;
  out.channels_last = training.framework.channels_last;
  out.padded = training.framework.half_pads_images && layer.input.channels() == kImageChannels;
  if (may_be_filtered(layer, piece)) {
    const Shape& made = pass == Pass::backward_data ? piece.input : piece.output;
    out.map = {made[Axis::height], made[Axis::width]};
  }
}

void describe_attention(KernelDemand& out, const Layer& layer, const Piece& piece, Pass pass) {
  const Heads& heads = layer.heads;
  const std::int64_t query = layer.input.channels() / heads.queries;
  const std::int64_t keys_and_values = layer.other_elements / heads.keys;
  out.form = KernelForm::attention;
  out.pass = pass;
  out.aligned = true;
  out.n = layer.output.channels() / heads.queries;
  out.m = piece.output.positions();
  out.groups = piece.samples * (piece.output.channels() / out.n);
  out.causal = heads.causal;
  if (heads.within > 0 && heads.within < out.m) {
    out.groups *= (out.m + heads.within - 1) / heads.within;
    out.m = heads.within;
  }
  const std::int64_t keys = keys_and_values / (query + out.n);
  // Each part of the queries has its share of the layer's pairs (plan/layout/dealt.h).
  const double pairs = layer.of(Pass::forward).flops_per_output * static_cast<double>(out.n) /
                       static_cast<double>(2 * (query + out.n));
  const auto steps = static_cast<double>(piece.steps);
  const std::int64_t of_step = (keys + piece.steps - 1) / piece.steps;
  out.k = std::clamp<std::int64_t>(std::llround(pairs / steps), 1, of_step);
}

/// Kernels of flash-linear-attention 0.5 (delta) and mamba_ssm 2 (decay), forward and backward.
constexpr std::array<int, 2> kDeltaKernels = {7, 12}, kDecayKernels = {5, 11};

void describe_linear_attention(KernelDemand& out, const Layer& layer, const Piece& piece,
                               Pass pass) {
  const Heads& heads = layer.heads;
  out.form = KernelForm::linear_attention;
  out.pass = pass;
  out.aligned = true;
  out.m = piece.output.positions();
  out.n = layer.output.channels() / heads.values;
  out.k = layer.input.channels() / heads.keys;
  out.groups = piece.samples * (piece.output.channels() / out.n);
  out.window = heads.chunk;
  const auto& kernels = layer.variant == "delta" ? kDeltaKernels : kDecayKernels;
  out.kernels = kernels[pass == Pass::forward ? 0 : 1];
}

/// Steps that wait for each other are as many products, each of the samples alone: of what a token
/// and the state before it have by the features of all gates, or back. The gradient of the weights
/// is one product of all steps.
void take_turns(KernelDemand& out, const Layer& layer, const Piece& piece, Pass pass) {
  const std::int64_t made = layer.output.channels();
  const std::int64_t gates = std::max<std::int64_t>(
      1,
      layer.weights.empty() ? 1 : layer.weights.front().elements / (made * layer.input.channels()));
  out.m = std::max<std::int64_t>(1, out.m / layer.steps);
  out.n = gates * made;
  out.k = std::max<std::int64_t>(1, piece.reduction / gates);
  if (pass == Pass::backward_data) std::swap(out.n, out.k);
  constexpr std::int64_t kMostKernels = std::numeric_limits<int>::max();
  out.kernels = static_cast<int>(std::min(layer.steps, kMostKernels));
}

/// Channels, then positions; a sequence counts as width.
std::array<std::int64_t, 4> extents_of(const Shape& shape) {
  return {shape.channels(), shape[Axis::depth], shape[Axis::height],
          shape[Axis::width] * shape[Axis::sequence]};
}

/// Of inputs that are read whole, whose channels are sharded as the first one's.
double other_elements(const Layer& layer, const Piece& piece) {
  return static_cast<double>(piece.samples * layer.other_elements) *
         static_cast<double>(piece.input.channels()) / static_cast<double>(layer.input.channels());
}

/// How often a loss touches scores that it turns into fp32. Forward
/// writes them, reads them for the largest, for the sum and for the logarithms, and writes these.
/// Backward clears a gradient, reads it twice and the logarithms, writes that of the scores and
/// reads it to turn it back (PyTorch 2.6, SoftMax.cu and NLLLoss2d.cu).
constexpr double kLossTouches = 5, kLossGradientTouches = 6;

/// Besides one touch of the scores themselves, read forward and written backward.
Bytes fp32_loss_traffic(double scores, Pass pass, const Training& training) {
  const double touches = pass == Pass::forward ? kLossTouches : kLossGradientTouches;
  return Bytes{scores * (training.precision.activation_bytes + touches * kFp32Bytes)};
}

/// Bytes of a value of the tensors that a pass touches: input, output and weights, or their
/// gradients.
struct Touched {
  double input, output, weight;
};

Touched touched_bytes(const Layer& layer, const Piece& piece, Pass pass,
                      const Precision& precision) {
  const auto wide = static_cast<double>(precision.activation_bytes),
             weight = static_cast<double>(precision.weight_bytes);
  if (!is_narrow(layer, precision)) {
    const Values values = values_of(piece, precision);
    return {values.input, values.output, weight};
  }
  const double value = precision.narrow.value_bytes();
  switch (pass) {
    case Pass::backward_data:
      return {wide, value, precision.narrow.weight_bytes()};
    case Pass::backward_weights:
      return {value, value, weight};
    default:
      return {value, wide, precision.narrow.weight_bytes()};
  }
}

/// Of a sum and the activation behind it in the kernel of a batch norm: the other terms, which
/// forward reads, and their gradient, which backward writes.
KernelDemand in_norm_demand(const Layer& layer, double elements, Pass pass,
                            const Training& training) {
  const auto terms = static_cast<double>(layer.inputs.size() - 1);
  const bool writes = layer.inputs.size() == 1 && pass == Pass::backward_data;
  const double touches = pass == Pass::forward ? terms : (writes ? 1 : 0);
  KernelDemand out;
  out.traffic = Bytes{touches * elements * training.precision.activation_bytes};
  out.kernels = 0;
  return out;
}

KernelDemand gradient_sum_demand(const Piece& piece, double elements, const Training& training) {
  const bool apart = !training.framework.sums_in_kernels;
  KernelDemand out;
  out.flops = Flops{elements};
  out.traffic = Bytes{(apart ? 3 : 1) * elements * values_of(piece, training.precision).output};
  out.kernels = apart ? 1 : 0;
  return out;
}

/// What decides the time of attention: heads, the keys that a query reads, masks and added numbers.
void set_attention(KernelKey& key, const Layer& layer, const Piece& piece, Pass pass) {
  KernelDemand of;
  describe_attention(of, layer, piece, pass);
  key.groups = piece.output.channels() / of.n;
  key.kernel.back() = of.k;
  key.others =
      std::llround(other_elements(layer, piece) / static_cast<double>(piece.samples * piece.steps));
  if (layer.heads.causal) key.variant = "causal";
  if (layer.trainable()) key.variant += key.variant.empty() ? "relative" : " relative";
}

/// What decides the time of linear attention: heads and the positions of a chunk.
void set_linear_attention(KernelKey& key, const Layer& layer, const Piece& piece) {
  key.entries = piece.output.channels() / (layer.output.channels() / layer.heads.values);
  key.kernel.back() = layer.heads.chunk;
  key.others = std::llround(other_elements(layer, piece) / static_cast<double>(piece.samples));
}

/// Each gate sums over input and state: of an LSTM 24 → 32 a window of 4 over 56 channels. The
/// directions, which no extent tells either, stand for a stride.
void set_recurrent(KernelKey& key, const Layer& layer) {
  const std::int64_t gates =
      layer.weights.front().elements / (layer.input.channels() * layer.output.channels());
  key.input[0] = layer.reduction / gates;
  key.kernel.back() = gates;
  key.stride.back() = layer.output.channels() / (key.input[0] - layer.input.channels());
}

/// Experts whose matrices a piece has, or rows of its part of a table.
std::int64_t entries_of(const Layer& layer, const Piece& piece) {
  if (piece.experts > 1) return piece.experts;
  const std::string_view kind = layer.kind->name;
  const bool table = layer.looks_up || kind == "added_rows" || kind == "prepended_rows";
  return table ? std::max<std::int64_t>(1, piece.weights / piece.output.channels()) : 1;
}

}  // namespace

KernelDemand demand(const Layer& layer, const Piece& piece, Pass pass, const Training& training) {
  if (pass == Pass::update) return update_demand(piece.weights, training);
  const double inputs = static_cast<double>(piece.samples * piece.input.elements());
  const double outputs = static_cast<double>(piece.samples * piece.output.elements());
  if (pass == Pass::gradient_sum) return gradient_sum_demand(piece, outputs, training);
  if (piece.in_norm) return in_norm_demand(layer, outputs, pass, training);

  const PassWork& work = layer.of(pass);
  // A sum over all positions is done for the positions held.
  const double summed = layer.reach == Reach::global
                            ? static_cast<double>(piece.input.positions()) /
                                  static_cast<double>(layer.input.positions())
                            : 1;
  KernelDemand out;
  const auto steps = static_cast<double>(piece.steps);
  out.flops = Flops{work.flops_per_output * outputs * summed / steps};
  const Touched bytes = touched_bytes(layer, piece, pass, training.precision);
  out.traffic = Bytes{work.input_touches * inputs * bytes.input +
                      work.output_touches * outputs * bytes.output +
                      work.other_touches * other_elements(layer, piece) / steps * bytes.input +
                      work.weight_touches * static_cast<double>(piece.weights) * bytes.weight};
  if (pass != Pass::backward_weights && turns_scores_into_fp32(layer, training)) {
    out.traffic = fp32_loss_traffic(inputs, pass, training);
  }
  if (const auto composed = composed_traffic(layer, piece, pass, training)) {
    out.traffic = Bytes{composed->bytes_per_output * outputs};
    out.kernels = composed->kernels;
  }
  if (out.flops.value == 0 && out.traffic.value == 0) {
    out.kernels = 0;
  } else if (layer.heads.chunk > 0 && pass != Pass::backward_weights) {
    describe_linear_attention(out, layer, piece, pass);
  } else if (layer.heads.keys > 0 && pass != Pass::backward_weights) {
    describe_attention(out, layer, piece, pass);
    out.attention = training.framework.attention;
  } else if (piece.reduction > 0) {
    out.flops += Flops{2 * outputs * static_cast<double>(piece.reduction)};
    describe_contraction(out, layer, piece, pass, training);
    if (layer.steps > 1 && pass != Pass::backward_weights) take_turns(out, layer, piece, pass);
  } else {
    out.m = piece.samples * piece.output.positions();
    out.n = piece.output.channels();
    if (pass == Pass::backward_weights) out.kernels = 0;
  }
  return out;
}

KernelDemand demand(const Layer& layer, const Piece& piece, const Work& work,
                    const Training& training) {
  if (work.pass != Pass::quantize) return demand(layer, piece, work.pass, training);
  KernelDemand out;
  out.traffic = work.streamed;
  return out;
}

KernelDemand update_demand(std::int64_t weights, const Training& training) {
  const Precision& precision = training.precision;
  const Optimizer& optimizer = training.optimizer;
  // What is updated is the master copy, from which the weights are written; else the weights, of
  // which the next step makes its casts.
  const bool copied = precision.master_bytes + precision.cast_bytes > 0;
  const int held = precision.master_bytes > 0 ? precision.master_bytes : precision.weight_bytes;
  const Optimizer::Touches& apart = optimizer.foreach;
  const int updating = updates_by_operation(training)
                           ? apart.weight * held + apart.gradient * precision.gradient_bytes +
                                 apart.state * optimizer.state_bytes + apart.temporary * kFp32Bytes
                           : 2 * (held + optimizer.state_bytes) + precision.gradient_bytes;
  const int bytes_per_weight = updating + (copied ? precision.weight_bytes : 0);
  KernelDemand out;
  out.flops = Flops{static_cast<double>(optimizer.flops) * static_cast<double>(weights)};
  out.traffic = Bytes{static_cast<double>(bytes_per_weight) * static_cast<double>(weights)};
  out.m = weights;
  out.n = 1;
  out.kernels = weights > 0 ? 1 : 0;
  return out;
}

KernelDemand compression_demand(const Compression& step) {
  KernelDemand out;
  out.traffic = step.touched;
  out.m = step.elements;
  out.n = 1;
  out.kernels = 1;
  return out;
}

KernelKey key_of(const Layer& layer, const Piece& piece, Pass pass, const Training& training) {
  if (pass == Pass::update) return update_key(piece.weights, training);
  KernelKey key;
  key.pass = static_cast<std::uint8_t>(pass);
  const bool product = piece.reduction > 0 && is_narrow(layer, training.precision);
  key.type = product ? training.precision.compute : wide_of(training.precision.compute);
  key.samples = piece.samples;
  key.output = extents_of(piece.output);
  if (pass == Pass::gradient_sum || pass == Pass::quantize) {
    key.kind = name_of(pass);
    key.type = wide_of(training.precision.compute);
    key.input = key.output;
    key.inputs = 2;
    return key;
  }
  key.kind = layer.kind->name;
  key.variant = layer.variant;
  key.input = extents_of(piece.read());
  key.inputs = std::max<std::int64_t>(1, static_cast<std::int64_t>(layer.inputs.size()));
  if (layer.joined_channels > 0) key.input[0] = layer.joined_channels;
  key.kernel = layer.window.kernel;
  key.stride = layer.window.stride;
  key.dilation = layer.window.dilation;
  key.groups = piece.groups;
  key.contraction = piece.reduction > 0;
  key.entries = entries_of(layer, piece);
  if (layer.heads.chunk > 0) {
    set_linear_attention(key, layer, piece);
  } else if (layer.heads.keys > 0) {
    set_attention(key, layer, piece, pass);
  }
  if (key.kind == "recurrent") set_recurrent(key, layer);
  return key;
}

KernelKey key_of(const Compression& step, const Training& training) {
  return compression_key(name_of(step.step), step.exchange, wide_of(training.precision.compute),
                         step.inputs, step.input, step.output);
}

KernelKey update_key(std::int64_t weights, const Training& training) {
  KernelKey key;
  key.kind = "update";
  key.variant = training.optimizer.name;
  key.pass = static_cast<std::uint8_t>(Pass::update);
  key.type = wide_of(training.precision.compute);
  key.input[0] = key.output[0] = weights;
  return key;
}

}  // namespace oracle
