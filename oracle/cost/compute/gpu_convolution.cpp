#include "oracle/cost/compute/gpu_convolution.h"

#include <algorithm>
#include <cmath>

namespace oracle {
namespace {

constexpr std::array<Tile, 3> kVectorTiles = {{{128, 128}, {128, 64}, {128, 32}}};
constexpr std::array<Tile, 5> kVectorWeightTiles = {
    {{128, 128}, {64, 128}, {128, 64}, {32, 128}, {128, 32}}};
constexpr std::array<Tile, 6> kMatrixTiles = {
    {{256, 128}, {128, 256}, {256, 64}, {128, 128}, {128, 64}, {64, 64}}};
constexpr std::array<Tile, 2> kGroupTiles = {{{128, 64}, {128, 32}}};
constexpr std::array<Tile, 4> kFilterTiles = {{{128, 128}, {128, 64}, {64, 64}, {128, 32}}};

/// Matrix units take features in eights.
constexpr double kGranularity = 8;
/// Groups are packed until a tile has as many features.
constexpr double kPackedFeatures = 32;
/// With fewer input channels a kernel reaches GpuLibrary::few of its rate.
constexpr double kFewOnVector = 8, kFewOnMatrix = 32;
/// Minimal filtering wants as many channels and features.
constexpr double kLeastFiltered = 16;
/// That of the weight gradient wants as many on one side, and on the other.
constexpr double kLeastFilteredWeights = 64, kMostFilteredWeights = 128;
constexpr double kUnfusedKernels = 4;

double bytes_of(DataType type) { return type == DataType::fp16 || type == DataType::bf16 ? 2 : 4; }

/// A convolution's sizes, whatever the pass. Of one group.
struct Sizes {
  double channels, features, window, stride, positions, inputs, groups;
};

Sizes sizes_of(const KernelDemand& demand) {
  const auto m = static_cast<double>(demand.m), n = static_cast<double>(demand.n);
  const auto k = static_cast<double>(demand.k);
  const auto window = static_cast<double>(demand.window);
  Sizes sizes{0,
              0,
              window,
              static_cast<double>(demand.stride),
              static_cast<double>(demand.positions),
              m,
              static_cast<double>(demand.groups)};
  switch (demand.pass) {
    case Pass::backward_data:
      sizes.channels = n;
      sizes.features = k / window;
      break;
    case Pass::backward_weights:
      sizes.channels = m / window;
      sizes.features = n;
      break;
    default:
      sizes.channels = k / window;
      sizes.features = n;
  }
  return sizes;
}

/// Groups side by side in one tile, the zeros between them multiplied.
void pack_groups(Sizes& sizes) {
  if (sizes.groups == 1) return;
  const double packed =
      std::min(sizes.groups, std::ceil(kPackedFeatures / std::max(sizes.features, 1.0)));
  sizes.channels *= packed;
  sizes.features *= packed;
  sizes.groups = std::ceil(sizes.groups / packed);
}

double filled_up(double features, double granularity) {
  return std::ceil(features / granularity) * granularity;
}

Product product_of(const Sizes& sizes, Pass pass, double hole, double granularity) {
  const double channels = filled_up(sizes.channels, granularity);
  const double features = filled_up(sizes.features, granularity);
  const double waste = 1 + hole * (sizes.stride - 1);
  const bool plain = sizes.window == 1;
  switch (pass) {
    case Pass::backward_data:
      if (plain) return {sizes.positions * waste, channels, features, sizes.groups};
      return {sizes.inputs, channels, features * sizes.window * waste / sizes.stride, sizes.groups};
    case Pass::backward_weights:
      return {channels * sizes.window, features, sizes.positions, sizes.groups};
    default:
      return {sizes.positions, features, channels * sizes.window, sizes.groups};
  }
}

/// Bytes that a pass moves: see the header.
double moved(const KernelDemand& demand, const Sizes& sizes, bool matrix, double element) {
  const double data = demand.data.value;
  const double weights = sizes.channels * sizes.features * sizes.window * sizes.groups * element;
  const double unread = sizes.window == 1 ? data * (1 - 1 / sizes.stride) : 0;
  double bytes = demand.traffic.value;
  if (demand.pass != Pass::backward_data) bytes -= unread;
  if (demand.pass == Pass::backward_data && sizes.stride > 1) bytes += data;
  if (matrix && !demand.channels_last) {
    bytes += 2 * std::max(demand.traffic.value - unread - weights, 0.0);
  }
  return bytes;
}

RooflineTerms as_product(const KernelDemand& demand, const Sizes& whole, const GpuLibrary& library,
                         bool matrix, double element, const GpuShare& share) {
  Sizes sizes = whole;
  pack_groups(sizes);
  const bool of_weights = demand.pass == Pass::backward_weights;
  ProductRun run{kVectorTiles, library.ceiling, library.beta};
  if (of_weights) run.tiles = kVectorWeightTiles;
  if (matrix) run.tiles = kMatrixTiles;
  if (whole.groups > 1) run.tiles = kGroupTiles;
  run.factor = library.passes[static_cast<std::size_t>(demand.pass)];
  const bool few = whole.channels * whole.groups < (matrix ? kFewOnMatrix : kFewOnVector);
  if (few && !(matrix && demand.padded)) run.factor *= library.few;
  if (of_weights) run.depth = library.weight_depth;
  run.splits = of_weights;
  const Product product = product_of(sizes, demand.pass, library.hole, matrix ? kGranularity : 1);
  return {Seconds{share.start}, Seconds{product_seconds(product, run, share)},
          Seconds{moved(demand, whole, matrix, element) / share.bandwidth}, share.sharpness};
}

/// F(outputs x outputs, taps x taps), with what it reads in products.
struct Filter {
  double outputs, taps;
  bool fused;

  double edge() const { return outputs + taps - 1; }
  double products() const { return edge() * edge(); }
};

constexpr std::array<Filter, 3> kFilters = {{{2, 3, true}, {4, 3, false}, {4, 5, false}}};

double tiles_of(const Filter& filter, const KernelDemand& demand, const Sizes& sizes) {
  const auto height = static_cast<double>(demand.map[0]);
  const auto width = static_cast<double>(demand.map[1]);
  const double maps =
      (demand.pass == Pass::backward_data ? sizes.inputs : sizes.positions) / (height * width);
  return maps * std::ceil(height / filter.outputs) * std::ceil(width / filter.outputs);
}

double transformed_elements(const Filter& filter, const Sizes& sizes, double tiles) {
  return tiles * (sizes.channels + sizes.features) * filter.products();
}

bool applies(const Filter& filter, const KernelDemand& demand, const Sizes& sizes,
             const GpuLibrary& library, double element) {
  if (filter.taps * filter.taps != sizes.window) return false;
  const double least = std::min(sizes.channels, sizes.features);
  const double most = std::max(sizes.channels, sizes.features);
  if (least < kLeastFiltered) return false;
  const bool of_weights = demand.pass == Pass::backward_weights;
  if (filter.fused) return !of_weights && library.fused > 0;
  const double room =
      transformed_elements(filter, sizes, tiles_of(filter, demand, sizes)) * element;
  if (room > demand.workspace.value) return false;
  if (of_weights) return least >= kLeastFilteredWeights && most >= kMostFilteredWeights;
  return library.unfused_maps;
}

RooflineTerms filtered(const Filter& filter, const KernelDemand& demand, const Sizes& sizes,
                       const GpuLibrary& library, double element, const GpuShare& share) {
  const double tiles = tiles_of(filter, demand, sizes);
  Product product{tiles, sizes.features, sizes.channels, filter.products()};
  if (demand.pass == Pass::backward_data) std::swap(product.n, product.k);
  if (demand.pass == Pass::backward_weights) {
    product = {sizes.channels, sizes.features, tiles, filter.products()};
  }
  ProductRun run{kFilterTiles, library.ceiling, library.beta};
  if (filter.fused) run.factor = library.fused;
  run.splits = false;
  RooflineTerms terms{Seconds{share.start}, Seconds{product_seconds(product, run, share)},
                      Seconds{demand.traffic.value / share.bandwidth}, share.sharpness};
  if (filter.fused) return terms;
  const double transformed = transformed_elements(filter, sizes, tiles);
  const double weights = sizes.channels * sizes.features * filter.products();
  terms.launch = terms.launch * kUnfusedKernels;
  terms.memory =
      Seconds{library.transforms * (demand.traffic.value + 2 * (transformed + weights) * element) /
              share.bandwidth};
  terms.sharpness = 1;
  return terms;
}

}  // namespace

RooflineTerms convolution_terms(const KernelDemand& demand, DataType type, bool matrix,
                                const GpuLibrary& library, const GpuShare& share) {
  const Sizes sizes = sizes_of(demand);
  const double element = bytes_of(type);
  RooflineTerms best = as_product(demand, sizes, library, matrix, element, share);
  if (matrix || demand.map[0] == 0) return best;
  for (const Filter& filter : kFilters) {
    if (!applies(filter, demand, sizes, library, element)) continue;
    const RooflineTerms other = filtered(filter, demand, sizes, library, element, share);
    if (other.total() < best.total()) best = other;
  }
  return best;
}

double depthwise_part(Pass pass) { return pass == Pass::backward_weights ? 0.10 : 0.35; }

}  // namespace oracle
