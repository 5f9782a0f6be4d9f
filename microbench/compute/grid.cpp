#include "microbench/compute/grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

using Grouping = GridRow::Grouping;

constexpr std::array<std::int64_t, 8> kConvolutionKernels = {1, 1, 1, 3, 3, 3, 5, 7};
constexpr std::array<std::int64_t, 3> kVolumeKernels = {1, 3, 3};
constexpr std::array<std::int64_t, 4> kDepthwiseKernels = {3, 3, 3, 5};
constexpr std::array<std::int64_t, 1> kThree = {3};
constexpr std::array<std::int64_t, 2> kPoolKernels = {2, 3};
constexpr std::array<std::int64_t, 3> kMeanKernels = {2, 3, 7};

constexpr std::array<std::int64_t, 4> kFirstKernels = {3, 3, 7, 11};

constexpr std::array<GridRow, 72> kRows = {{
    {"convolution", "bias=false", 6, 16, 2, 3, 3, 64, 256, 32, kFirstKernels, 1, Grouping::none,
     96},
    {"convolution", "bias=false", 2, 12, 3, 1, 8, 32, 128, 2, kThree, 1, Grouping::none, 64},
    {"convolution", "bias=false", 56, 280, 2, 3, 2048, 1, 224, 32, kConvolutionKernels},
    {"convolution", "bias=false", 12, 60, 3, 1, 512, 2, 128, 4, kVolumeKernels},
    {"convolution", "bias=false", 10, 40, 2, 16, 1024, 4, 112, 32, kDepthwiseKernels, 1,
     Grouping::depthwise},
    {"convolution", "bias=false", 6, 24, 2, 64, 1024, 4, 56, 32, kThree, 1, Grouping::grouped},
    {"transposed_convolution", "bias=false", 0, 16, 2, 16, 512, 2, 56, 8, kPoolKernels},
    {"dense", "bias=false", 12, 60, 0, 16, 16384, 1, 1, 256},
    {"batch_norm", "", 12, 40, 2, 4, 2048, 1, 112, 32},
    {"batch_norm", "", 0, 12, 3, 4, 256, 2, 128, 4},
    {"layer_norm", "", 0, 10, 2, 16, 1024, 1, 56, 32},
    {"activation", "function=relu", 10, 32, 2, 4, 2048, 1, 112, 32},
    {"activation", "function=relu", 3, 12, 3, 4, 256, 2, 128, 4},
    {"activation", "function=relu6", 4, 16, 2, 4, 1024, 1, 112, 32},
    {"activation", "function=leaky_relu", 4, 12, 3, 4, 256, 2, 128, 4},
    {"activation", "function=sigmoid", 0, 10, 2, 4, 1024, 1, 112, 32},
    {"activation", "function=silu", 0, 10, 2, 4, 1024, 1, 112, 32},
    {"pool", "mode=max", 8, 36, 2, 16, 1024, 4, 112, 32, kPoolKernels},
    {"pool", "mode=max", 3, 12, 3, 4, 256, 4, 128, 4, kPoolKernels},
    {"pool", "mode=average", 4, 20, 2, 16, 2048, 4, 56, 32, kMeanKernels},
    {"adaptive_pool", "mode=average", 5, 16, 2, 16, 2048, 2, 56, 32},
    {"add", "", 8, 24, 2, 8, 2048, 1, 112, 32, {}, 2},
    {"concat", "", 3, 12, 2, 16, 512, 4, 56, 32, {}, 2},
    {"concat", "", 3, 12, 2, 8, 256, 4, 56, 32, {}, 4},
    {"multiply", "", 0, 10, 2, 16, 1024, 4, 112, 32, {}, 2},
    {"dropout", "", 4, 12, 0, 256, 16384, 1, 1, 64},
    {"flatten", "", 4, 12, 2, 64, 1024, 1, 14, 64},
    {"local_response_norm", "", 4, 12, 2, 32, 512, 7, 56, 32},
    {"softmax", "over=channels", 0, 8, 1, 64, 2048, 16, 512, 32},
    {"softmax", "over=positions", 0, 6, 2, 16, 512, 4, 56, 32},
    {"matmul", "", 0, 16, 1, 64, 1024, 16, 512, 32, {}, 2},
    {"embedding", "entries=8192", 0, 6, 1, 64, 1024, 16, 512, 32},
    {"affine", "operation=shift", 0, 6, 1, 64, 1024, 16, 512, 32},
    {"affine", "operation=scale", 0, 4, 1, 64, 1024, 16, 512, 32},
    {"group_norm", "groups=8", 0, 8, 2, 32, 1024, 4, 64, 32},
    {"slice", "", 0, 6, 1, 64, 2048, 16, 512, 32},
    {"resize", "mode=nearest", 0, 6, 2, 16, 512, 4, 56, 32},
    {"reshape", "", 0, 4, 2, 64, 1024, 4, 28, 32},
    {"softmax_loss", "", 4, 10, 0, 10, 16384, 1, 1, 256},
    {"mean_squared_loss", "", 3, 8, 0, 4, 4096, 1, 1, 256},
    // Of texts: tokens in place of positions.
    {"dense", "bias=true", 6, 24, 0, 16, 2048, 16, 512, 16},
    {"dense", "bias=false", 4, 16, 0, 16, 2048, 16, 512, 16},
    {"layer_norm", "", 4, 10, 0, 32, 2048, 16, 512, 16},
    {"rms_norm", "", 4, 10, 0, 32, 2048, 16, 512, 16},
    {"attention", "causal=true", 10, 24, 0, 32, 1024, 16, 512, 16},
    {"attention", "", 8, 16, 0, 32, 1024, 16, 256, 16},
    {"attention", "causal=true relative=32", 4, 8, 0, 32, 512, 16, 256, 8},
    {"attention", "relative=32", 4, 8, 0, 32, 512, 16, 256, 8},
    {"attention", "within=16", 4, 8, 0, 32, 512, 16, 512, 8},
    {"causal_convolution", "", 0, 8, 0, 32, 2048, 16, 512, 16},
    {"linear_attention", "", 0, 8, 0, 32, 512, 16, 256, 8},
    {"linear_attention", "rule=decay", 0, 8, 0, 32, 512, 16, 256, 8},
    {"rotary", "", 4, 8, 0, 32, 1024, 16, 512, 16},
    {"head_concat", "", 4, 8, 0, 32, 1024, 16, 512, 16, {}, 2},
    {"gate", "function=silu", 4, 8, 0, 32, 2048, 16, 512, 16, {}, 2},
    {"gate", "function=gelu", 4, 8, 0, 32, 2048, 16, 512, 16, {}, 2},
    {"activation", "function=gelu", 4, 10, 0, 32, 2048, 16, 512, 16},
    {"activation", "function=relu", 0, 6, 0, 32, 2048, 16, 512, 16},
    {"add", "", 4, 10, 0, 32, 2048, 16, 512, 16, {}, 2},
    {"added_rows", "", 4, 8, 0, 32, 1024, 16, 512, 16},
    {"prepended_rows", "entries=1", 4, 8, 0, 32, 1024, 16, 512, 16},
    {"embedding", "", 4, 10, 0, 32, 1024, 16, 512, 16},
    {"softmax", "over=channels", 4, 8, 0, 8, 128, 16, 512, 16},
    {"dispatch", "", 4, 8, 0, 32, 1024, 16, 512, 16},
    {"expert_dense", "", 4, 12, 0, 32, 1024, 32, 512, 16},
    {"combine", "", 4, 8, 0, 32, 1024, 16, 512, 16},
    {"dropout", "", 0, 6, 0, 32, 2048, 16, 512, 16},
    {"slice", "", 0, 6, 0, 64, 2048, 16, 512, 16},
    {"softmax_loss", "", 4, 10, 0, 64, 8192, 16, 512, 8},
    {"recurrent", "cell=lstm", 4, 10, 0, 16, 512, 8, 128, 32},
    {"recurrent", "cell=gru", 0, 8, 0, 16, 512, 8, 128, 32},
    {"recurrent", "cell=rnn", 0, 6, 0, 16, 512, 8, 128, 32},
}};

/// What the largest case of a row may hold and compute.
struct Limits {
  double sample_elements;  ///< of one sample, on the larger side
  double elements;         ///< all values and weights of a call
  double multiply_adds;
};
constexpr Limits kQuickLimits = {4e6, 1.2e7, 0.75e9};
constexpr Limits kFullLimits = {1.6e7, 4e7, 3e9};
/// Transformers that processors train are small.
constexpr Limits kQuickTextLimits = {1e6, 3e6, 0.4e9};
constexpr Limits kFullTextLimits = {4e6, 1.2e7, 0.75e9};
/// One sample of the first layers of a volume is more than the batches of images.
constexpr Limits kVolumeLimits = {7e7, 1.4e8, 1.6e10};
/// Fewer are over before a launch is.
constexpr double kLeastElements = 4096;
/// As many times as long as in a library's product a multiply-add of attention takes, in our loops.
constexpr double kLoopsPerProduct = 32;
/// Draws for each shape wanted, before the row is given up.
constexpr int kPatience = 200;
/// Of as many shapes the largest is measured: what a fit tells beyond all of its points is a guess.
constexpr int kLookedAt = 64;

/// Element `index` of the van der Corput sequence in a base, in [0, 1).
double halton(int index, int base) {
  double value = 0, digit = 1;
  for (; index > 0; index /= base) {
    digit /= base;
    value += digit * (index % base);
  }
  return value;
}

/// Between the ends, evenly in the logarithm.
double between(double at, std::int64_t least, std::int64_t most) {
  const auto low = static_cast<double>(least);
  return low * std::pow(static_cast<double>(most) / low, at);
}

/// As networks have them: multiples of `usual` mostly, of 8, or the few of an image.
std::int64_t channels_near(double value, double taste, double usual) {
  if (value < 8) return std::max<std::int64_t>(1, std::llround(value));
  const double grain = taste < 0.8 && value >= usual ? usual : 8;
  return std::llround(std::max(1.0, std::round(value / grain)) * grain);
}

std::int64_t extent_near(double value) {
  if (value < 8) return std::llround(value);
  return std::llround(value / 2) * 2;
}

std::int64_t power_of_two(double near, std::int64_t most) {
  const double exponent = std::round(std::log2(std::max(near, 1.0)));
  return std::min<std::int64_t>(std::int64_t{1} << std::llround(exponent), most);
}

template <typename Value, std::size_t Extent>
Value chosen(double at, std::span<const Value, Extent> choices) {
  return choices[static_cast<std::size_t>(at * static_cast<double>(choices.size()))];
}

/// Without spatial axes the extent is that of a text.
Shape cube(std::int64_t channels, std::int64_t extent, std::size_t rank) {
  Shape shape;
  shape[Axis::channel] = channels;
  if (rank == 0) shape[Axis::sequence] = extent;
  for (std::size_t i = kSpatialAxes.size() - rank; i < kSpatialAxes.size(); ++i) {
    shape[kSpatialAxes[i]] = extent;
  }
  return shape;
}

void set_window(LayerCase& out, const GridRow& row, std::int64_t extent, double kernel,
                double stride) {
  if (row.kernels.empty()) return;
  const std::int64_t window = std::min(chosen(kernel, row.kernels), extent);
  const bool pools = row.kind == "pool";
  out.attributes.set("kernel", window);
  // Hardly any network pools overlapping pairs.
  const bool strides = pools        ? window == 2 || stride < 0.5
                       : window > 1 ? stride < (window > 5 ? 0.9 : 0.25)
                                    : stride < 0.12;
  out.attributes.set("stride", std::int64_t{strides ? 2 : 1});
  if (row.kind != "transposed_convolution")
    out.attributes.set("pad", pools ? window / 3 : window / 2);
}

/// What transformers and detectors make of their tensors: scores of 64 features a head, trained
/// places, one of two or more equal parts, tokens of an image, maps of twice the extents.
void set_extents(LayerCase& out, std::int64_t channels, std::int64_t extent) {
  if (out.kind == "matmul") {
    const std::int64_t heads = std::max<std::int64_t>(1, channels / 64);
    out.attributes.set("features", heads * extent);
    out.attributes.set("groups", heads);
  }
  if (out.kind == "embedding") {
    out.inputs[0][Axis::channel] = 1;
    out.attributes.set("features", channels);
  }
  if (out.kind == "affine") out.attributes.set("elements", channels * extent);
  if (out.kind == "slice") out.attributes.set("features", std::max<std::int64_t>(1, channels / 2));
  if (out.kind == "resize") out.attributes.set("extents", 2 * extent);
  if (out.kind == "reshape") {
    out.attributes.set("extents", std::vector<std::int64_t>{1, extent * extent});
  }
}

/// Of a text: heads of 16 to 128 features, of which keys and values may have fewer; experts, each
/// token's two; tables of some thousand rows.
struct TextTaste {
  std::int64_t head_size = 64, shared = 1, experts = 8, entries = 4096;
};

TextTaste taste_of(double head, double shared, double experts) {
  TextTaste taste;
  taste.head_size = std::int64_t{16} << static_cast<int>(head * 4);
  taste.shared = shared < 0.3 ? 4 : 1;
  taste.experts = std::int64_t{4} << static_cast<int>(experts * 3);
  taste.entries = std::int64_t{512} << static_cast<int>(experts * 6);
  return taste;
}

void set_attention(LayerCase& out, const TextTaste& taste, std::int64_t channels) {
  const std::int64_t heads = std::max<std::int64_t>(1, channels / taste.head_size);
  const std::int64_t kv_heads = heads % taste.shared == 0 ? heads / taste.shared : heads;
  Shape queries = out.inputs.front(), keys = queries;
  queries[Axis::channel] = heads * taste.head_size;
  keys[Axis::channel] = kv_heads * taste.head_size;
  out.inputs = {queries, keys, keys};
  out.attributes.set("heads", heads);
  if (kv_heads < heads) out.attributes.set("kv_heads", kv_heads);
}

/// Heads of values may share those of queries and keys; each has its gates.
void set_linear_attention(LayerCase& out, const TextTaste& taste, std::int64_t channels) {
  const std::int64_t heads = std::max<std::int64_t>(1, channels / taste.head_size);
  const bool delta = out.attributes.find("rule") == nullptr;
  Shape keys = out.inputs.front(), values = keys, gate = keys;
  keys[Axis::channel] = heads * taste.head_size;
  values[Axis::channel] = taste.shared * keys[Axis::channel];
  gate[Axis::channel] = taste.shared * heads;
  out.inputs = {keys, keys, values, gate};
  if (delta) out.inputs.push_back(gate);
  out.attributes.set("heads", heads);
  if (taste.shared > 1) out.attributes.set("value_heads", taste.shared * heads);
}

/// Two rows of each token, those of an expert together.
void set_rows(LayerCase& out, const TextTaste& taste) {
  constexpr std::int64_t kPerToken = 2;
  Shape& tokens = out.inputs.front();
  Shape scores = tokens;
  scores[Axis::channel] = taste.experts;
  if (out.kind == "dispatch") {
    out.attributes.set("per_token", kPerToken);
    out.inputs = {tokens, scores};
  } else if (out.kind == "combine") {
    tokens[Axis::sequence] *= kPerToken;
    out.inputs = {tokens, scores};
  } else {
    out.attributes.set("experts", taste.experts);
  }
}

/// What follows from the shape of a text.
void set_tokens(LayerCase& out, const TextTaste& taste, std::int64_t channels) {
  const std::int64_t heads = std::max<std::int64_t>(1, channels / taste.head_size);
  Shape& first = out.inputs.front();
  if (out.kind == "attention") set_attention(out, taste, channels);
  if (out.kind == "linear_attention") set_linear_attention(out, taste, channels);
  if (out.kind == "dispatch" || out.kind == "expert_dense" || out.kind == "combine") {
    set_rows(out, taste);
  }
  if (out.kind == "added_rows") out.attributes.set("entries", first[Axis::sequence]);
  if (out.kind == "embedding") out.attributes.set("entries", taste.entries);
  if (out.kind != "rotary" && out.kind != "head_concat") return;
  first[Axis::channel] = heads * taste.head_size;
  out.attributes.set("heads", heads);
  if (out.kind == "head_concat") out.inputs.back()[Axis::channel] = taste.head_size / 2;
}

/// The `index`-th draw of a row.
LayerCase draw(const GridRow& row, int index) {
  const auto at = [index](int base) { return halton(index, base); };
  LayerCase out =
      parse_layer_case(std::string(row.kind) + " 1:1" + (row.attributes.empty() ? "" : " ") +
                       std::string(row.attributes));
  out.spatial_rank = row.spatial_rank;
  // Products' libraries take four vectors at a time, and whoever chooses a width knows.
  const double usual = row.kind == "dense" ? 64 : 16;
  std::int64_t channels =
      channels_near(between(at(3), row.least_channels, row.most_channels), at(17), usual);
  std::int64_t extent = extent_near(between(at(5), row.least_extent, row.most_extent));
  if (const auto* block = out.attributes.find("within")) {
    const std::int64_t within = std::get<std::int64_t>(*block);
    extent = (extent + within - 1) / within * within;
  }
  if (row.grouping == Grouping::grouped) channels = (channels + 31) / 32 * 32;
  out.inputs.assign(static_cast<std::size_t>(row.inputs), cube(channels, extent, row.spatial_rank));
  out.samples = power_of_two(between(at(2), 1, row.most_samples), row.most_samples);
  set_window(out, row, extent, at(11), at(13));
  if (row.kind == "multiply" && at(7) < 0.7) out.inputs[1] = cube(channels, 1, row.spatial_rank);
  set_extents(out, channels, extent);
  if (row.spatial_rank == 0 && extent > 1) {
    set_tokens(out, taste_of(at(11), at(13), at(23)), channels);
  }
  const bool features = row.kind == "dense" || row.kind == "expert_dense" ||
                        row.kind == "recurrent" || row.kind == "convolution" ||
                        row.kind == "transposed_convolution";
  if (features) {
    const std::int64_t least = std::max<std::int64_t>(row.least_channels, 8);
    const std::int64_t most = row.most_features > 0 ? row.most_features : row.most_channels;
    const std::int64_t out_channels = channels_near(between(at(7), least, most), at(19), usual);
    out.attributes.set("features", row.grouping == Grouping::none ? out_channels : channels);
  }
  if (row.grouping == Grouping::depthwise) out.attributes.set("groups", channels);
  if (row.grouping == Grouping::grouped) out.attributes.set("groups", std::int64_t{32});
  return out;
}

/// Values and weights that a call reads or writes; 0 where no step would have the case, or it takes
/// longer than the grid can spend on it.
double elements_within(const LayerCase& of, const Limits& limits) {
  const Layer layer = layer_of(of);
  const auto samples = static_cast<double>(of.samples);
  const auto in =
      static_cast<double>(layer.input.elements()) * static_cast<double>(of.inputs.size());
  const auto out = static_cast<double>(layer.output.elements());
  const double elements = samples * (in + out) + 2.0 * static_cast<double>(layer.parameters());
  const double products = layer.heads.keys > 0 ? kLoopsPerProduct * layer.multiply_adds()
                                               : out * static_cast<double>(layer.reduction);
  const bool fits = std::max(in, out) <= limits.sample_elements && elements <= limits.elements &&
                    samples * (in + out) >= kLeastElements &&
                    samples * products <= limits.multiply_adds;
  return fits ? elements : 0;
}

const Limits& limits_of(const GridRow& row, GridSize size) {
  const bool text = row.spatial_rank == 0 && row.most_extent > 1;
  if (text) return size == GridSize::quick ? kQuickTextLimits : kFullTextLimits;
  if (size == GridSize::quick) return kQuickLimits;
  return row.spatial_rank == 3 ? kVolumeLimits : kFullLimits;
}

struct Drawn {
  LayerCase layer;
  double elements = 0;
};

/// Different cases of a row in the order of their draws, at least `wanted` if its draws have them.
std::vector<Drawn> draws_of(const GridRow& row, int wanted, const Limits& limits) {
  std::vector<Drawn> found;
  std::set<std::string> seen;
  const int least = std::max(wanted, kLookedAt);
  for (int i = 1; i <= wanted * kPatience && static_cast<int>(found.size()) < least; ++i) {
    Drawn drawn{draw(row, i)};
    try {
      drawn.elements = elements_within(drawn.layer, limits);
    } catch (const InputError&) {
      continue;  // a window larger than its map, and the like
    }
    if (drawn.elements > 0 && seen.insert(to_text(drawn.layer)).second) {
      found.push_back(std::move(drawn));
    }
  }
  return found;
}

/// The largest of some and the first of the others.
void add_cases(const GridRow& row, int wanted, const Limits& limits, std::vector<LayerCase>& out) {
  std::vector<Drawn> drawn = draws_of(row, wanted, limits);
  const auto largest =
      std::max_element(drawn.begin(), drawn.end(),
                       [](const Drawn& a, const Drawn& b) { return a.elements < b.elements; });
  if (largest == drawn.end()) return;
  std::rotate(drawn.begin(), largest, largest + 1);
  drawn.resize(std::min(drawn.size(), static_cast<std::size_t>(wanted)));
  for (Drawn& one : drawn) out.push_back(std::move(one.layer));
}

}  // namespace

std::span<const GridRow> grid_rows() { return kRows; }

std::vector<LayerCase> grid(GridSize size) {
  std::vector<LayerCase> cases;
  for (const GridRow& row : kRows) {
    const int wanted = size == GridSize::quick ? row.quick : row.full;
    if (wanted > 0) add_cases(row, wanted, limits_of(row, size), cases);
  }
  return cases;
}

}  // namespace oracle
