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

constexpr std::array<GridRow, 38> kRows = {{
    {"convolution", "bias=false", 6, 16, 2, 3, 3, 64, 256, 32, kFirstKernels, 1, Grouping::none,
     96},
    {"convolution", "bias=false", 56, 280, 2, 3, 2048, 1, 224, 32, kConvolutionKernels},
    {"convolution", "bias=false", 12, 60, 3, 1, 512, 2, 128, 4, kVolumeKernels},
    {"convolution", "bias=false", 10, 40, 2, 16, 1024, 4, 112, 32, kDepthwiseKernels, 1,
     Grouping::depthwise},
    {"convolution", "bias=false", 6, 24, 2, 64, 1024, 4, 56, 32, kThree, 1, Grouping::grouped},
    {"transposed_convolution", "bias=false", 0, 16, 2, 16, 512, 2, 56, 8, kPoolKernels},
    {"dense", "bias=false", 12, 60, 0, 16, 16384, 1, 1, 256},
    {"batch_norm", "", 12, 40, 2, 4, 2048, 1, 112, 32},
    {"batch_norm", "", 0, 10, 3, 4, 256, 2, 64, 4},
    {"layer_norm", "", 0, 10, 2, 16, 1024, 1, 56, 32},
    {"activation", "function=relu", 10, 32, 2, 4, 2048, 1, 112, 32},
    {"activation", "function=relu", 3, 10, 3, 4, 256, 2, 64, 4},
    {"activation", "function=relu6", 4, 16, 2, 4, 1024, 1, 112, 32},
    {"activation", "function=leaky_relu", 4, 12, 3, 4, 256, 2, 64, 4},
    {"activation", "function=sigmoid", 0, 10, 2, 4, 1024, 1, 112, 32},
    {"activation", "function=silu", 0, 10, 2, 4, 1024, 1, 112, 32},
    {"pool", "mode=max", 8, 30, 2, 16, 1024, 4, 112, 32, kPoolKernels},
    {"pool", "mode=max", 3, 10, 3, 4, 256, 4, 64, 4, kPoolKernels},
    {"pool", "mode=average", 4, 20, 2, 16, 2048, 4, 56, 32, kMeanKernels},
    {"adaptive_pool", "mode=average", 5, 16, 2, 16, 2048, 2, 56, 32},
    {"add", "", 8, 24, 2, 8, 2048, 1, 112, 32, {}, 2},
    {"concat", "", 5, 20, 2, 16, 512, 4, 56, 32, {}, 2},
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
}};

/// What a layer holds of one sample at most: the first ones of a volume have most.
constexpr double kMostSampleElements[] = {4e6, 1.6e7};
/// Fewer are over before a launch is.
constexpr double kLeastElements = 4096;
constexpr double kMostElements[] = {1.2e7, 4e7};
constexpr double kMostMultiplyAdds[] = {0.75e9, 3e9};
/// Elements of an input, between which samples are chosen.
constexpr std::int64_t kLeastWanted = 16'000, kMostWanted = 4'000'000;
/// Draws for each shape wanted, before the row is given up.
constexpr int kPatience = 200;

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

/// As networks have them: multiples of 16 mostly, of 8, or the few of an image.
std::int64_t channels_near(double value, double taste) {
  if (value < 8) return std::max<std::int64_t>(1, std::llround(value));
  const double grain = taste < 0.8 && value >= 16 ? 16 : 8;
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

Shape cube(std::int64_t channels, std::int64_t extent, std::size_t rank) {
  Shape shape;
  shape[Axis::channel] = channels;
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
  const bool strides = pools        ? stride < 0.8
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

/// The `index`-th draw of a row.
LayerCase draw(const GridRow& row, int index) {
  const auto at = [index](int base) { return halton(index, base); };
  LayerCase out =
      parse_layer_case(std::string(row.kind) + " 1:1" + (row.attributes.empty() ? "" : " ") +
                       std::string(row.attributes));
  out.spatial_rank = row.spatial_rank;
  std::int64_t channels =
      channels_near(between(at(3), row.least_channels, row.most_channels), at(17));
  const std::int64_t extent = extent_near(between(at(5), row.least_extent, row.most_extent));
  if (row.grouping == Grouping::grouped) channels = (channels + 31) / 32 * 32;
  out.inputs.assign(static_cast<std::size_t>(row.inputs), cube(channels, extent, row.spatial_rank));
  const double wanted = between(at(2), kLeastWanted, kMostWanted);
  out.samples =
      power_of_two(wanted / static_cast<double>(out.inputs[0].elements()), row.most_samples);
  set_window(out, row, extent, at(11), at(13));
  if (row.kind == "multiply" && at(7) < 0.7) out.inputs[1] = cube(channels, 1, row.spatial_rank);
  set_extents(out, channels, extent);
  const bool features = row.kind == "dense" || row.kind.find("convolution") != row.kind.npos;
  if (features) {
    const std::int64_t least = std::max<std::int64_t>(row.least_channels, 8);
    const std::int64_t most = row.most_features > 0 ? row.most_features : row.most_channels;
    const std::int64_t out_channels = channels_near(between(at(7), least, most), at(19));
    out.attributes.set("features", row.grouping == Grouping::none ? out_channels : channels);
  }
  if (row.grouping == Grouping::depthwise) out.attributes.set("groups", channels);
  if (row.grouping == Grouping::grouped) out.attributes.set("groups", std::int64_t{32});
  return out;
}

/// Whether a step would have it, and it takes no longer than the grid can spend on it.
bool reasonable(const LayerCase& of, std::size_t size) {
  const Layer layer = layer_of(of);
  const auto samples = static_cast<double>(of.samples);
  const auto in =
      static_cast<double>(layer.input.elements()) * static_cast<double>(of.inputs.size());
  const auto out = static_cast<double>(layer.output.elements());
  if (std::max(in, out) > kMostSampleElements[size]) return false;
  const double weights = 2.0 * static_cast<double>(layer.parameters());
  if (samples * (in + out) + weights > kMostElements[size]) return false;
  if (samples * (in + out) < kLeastElements) return false;
  return samples * out * static_cast<double>(layer.reduction) <= kMostMultiplyAdds[size];
}

}  // namespace

std::span<const GridRow> grid_rows() { return kRows; }

std::vector<LayerCase> grid(GridSize size) {
  std::vector<LayerCase> cases;
  std::set<std::string> seen;
  const auto index = static_cast<std::size_t>(size);
  for (const GridRow& row : kRows) {
    int wanted = size == GridSize::quick ? row.quick : row.full;
    const int draws = wanted * kPatience;
    for (int i = 1; i <= draws && wanted > 0; ++i) {
      const LayerCase drawn = draw(row, i);
      if (seen.count(to_text(drawn)) > 0) continue;
      try {
        if (!reasonable(drawn, index)) continue;
      } catch (const InputError&) {
        continue;  // a window larger than its map, and the like
      }
      seen.insert(to_text(drawn));
      cases.push_back(drawn);
      --wanted;
    }
  }
  return cases;
}

}  // namespace oracle
