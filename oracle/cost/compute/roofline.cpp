#include "oracle/cost/compute/roofline.h"

#include <algorithm>
#include <array>
#include <span>

#include "oracle/base/error.h"

namespace oracle {
namespace {

/// Relative half-width of the 90 % interval: how far library kernels scatter around this model.
constexpr double kUncertainty = 0.35;
/// Part of the memory bandwidth that a plain streaming kernel reaches.
constexpr double kStreaming = 0.8;
/// Part of the fp32 peak that element-wise arithmetic reaches: half, as few operations are
/// multiply-adds, and half again for addresses and conversions.
constexpr double kElementwise = 0.25;
/// What remains of a matrix unit's rate where features are no multiples of 8.
constexpr double kMisaligned = 0.5;
/// F(2x2,3x3) needs 2.25 times fewer products; its transforms eat part of the gain.
constexpr double kFilteringGain = 1.5;
/// A part of a split k is at least this long.
constexpr std::int64_t kLeastSplitDepth = 256;

/// A shape of output tile, and the part of the ceiling that its ratio of arithmetic to loads
/// allows.
struct Tile {
  std::int64_t m, n;
  double efficiency;
};

/// What the libraries of one class of devices do. Tiles from best to worst.
struct Library {
  std::span<const Tile> tiles;
  double ceiling;     ///< the largest part of the peak that large products reach
  double half_depth;  ///< k at which filling and draining the pipeline costs as much as the product
};

constexpr std::array<Tile, 8> kGpuTiles = {{{256, 128, 1.0},
                                            {128, 256, 1.0},
                                            {128, 128, 0.97},
                                            {128, 64, 0.90},
                                            {64, 128, 0.90},
                                            {64, 64, 0.80},
                                            {128, 32, 0.70},
                                            {32, 128, 0.70}}};
constexpr std::array<Tile, 3> kCpuTiles = {{{64, 64, 1.0}, {32, 32, 0.95}, {16, 16, 0.85}}};

constexpr Library kGpuVector{kGpuTiles, 0.85, 64};
constexpr Library kGpuMatrix{kGpuTiles, 0.75, 128};
constexpr Library kCpu{kCpuTiles, 0.75, 32};

const Library& library_of(const Device& device, DataType type) {
  if (device.device_class == DeviceClass::cpu) return kCpu;
  return device.matrix_unit_for(type) ? kGpuMatrix : kGpuVector;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Efficiency of `tile`, with k in as many parts as suit `processors` best.
double with_tile(const Tile& tile, const KernelDemand& product, std::int64_t processors,
                 double half_depth) {
  const std::int64_t tiles =
      ceil_div(product.m, tile.m) * ceil_div(product.n, tile.n) * product.groups;
  const double work = static_cast<double>(product.m) * static_cast<double>(product.n) *
                      static_cast<double>(product.groups);
  const double per_wave = static_cast<double>(tile.m * tile.n * processors);
  const std::int64_t most = std::max<std::int64_t>(product.k / kLeastSplitDepth, 1);
  double best = 0;
  std::int64_t tried = 0;
  // Unsplit, one wave, four waves: more parts smooth the last wave but shorten k.
  for (const std::int64_t waves_wanted : {0, 1, 4}) {
    const std::int64_t parts = std::clamp<std::int64_t>(waves_wanted * processors / tiles, 1, most);
    if (parts == tried) continue;
    tried = parts;
    const auto waves = static_cast<double>(ceil_div(tiles * parts, processors));
    const double filled = work * static_cast<double>(parts) / (per_wave * waves);
    const double depth = static_cast<double>(product.k) / static_cast<double>(parts);
    best = std::max(best, filled * depth / (depth + half_depth));
  }
  return tile.efficiency * best;
}

double efficiency_on(const KernelDemand& product, DataType type, const Device& device,
                     std::int64_t processors) {
  const Library& library = library_of(device, type);
  double best = 0;
  for (const Tile& tile : library.tiles) {
    if (tile.efficiency <= best) break;
    best = std::max(best, with_tile(tile, product, processors, library.half_depth));
  }
  const bool misaligned = device.matrix_unit_for(type) && !product.aligned;
  return library.ceiling * best * (misaligned ? kMisaligned : 1.0);
}

/// Operations per second, for all of the device.
FlopRate reachable_rate(const KernelDemand& demand, DataType type, const Device& device,
                        std::int64_t processors) {
  if (!demand.contraction) {
    const FlopRate vector = device.peak_of(DataType::fp32);
    return kElementwise * (vector.value > 0 ? vector : device.peak_of(type));
  }
  const bool filtered = demand.minimal_filtering && type == DataType::fp32 &&
                        device.device_class == DeviceClass::gpu && !device.matrix_unit_for(type);
  return device.peak_of(type) * efficiency_on(demand, type, device, processors) *
         (filtered ? kFilteringGain : 1.0);
}

}  // namespace

double contraction_efficiency(const KernelDemand& demand, DataType type, const Device& device) {
  ensure(demand.contraction && demand.m > 0 && demand.n > 0 && demand.k > 0,
         "efficiency is asked of a kernel that is no matrix product");
  return efficiency_on(demand, type, device, device.multiprocessors);
}

RooflineTerms roofline_terms(const KernelDemand& demand, DataType type, const Cluster& cluster) {
  const Device& device = cluster.device;
  ensure(device.peak_of(type).value > 0, "a kernel is priced in a format its device lacks");
  const auto sharers = static_cast<double>(cluster.ranks_per_device);
  const std::int64_t processors =
      std::max<std::int64_t>(device.multiprocessors / cluster.ranks_per_device, 1);
  RooflineTerms terms;
  terms.launch = device.launch_overhead * static_cast<double>(demand.kernels);
  terms.memory = demand.traffic / (device.memory_bandwidth * kStreaming) * sharers;
  if (demand.flops.value > 0) {
    terms.arithmetic = demand.flops / reachable_rate(demand, type, device, processors) * sharers;
  }
  return terms;
}

Cost price_of(const RooflineTerms& terms) {
  return {terms.launch + std::max(terms.arithmetic, terms.memory), Source::assumed, kUncertainty};
}

Cost roofline(const KernelDemand& demand, DataType type, const Cluster& cluster) {
  return price_of(roofline_terms(demand, type, cluster));
}

}  // namespace oracle
