#include "oracle/cost/compute/roofline.h"

#include <algorithm>
#include <array>

#include "oracle/base/error.h"
#include "oracle/cost/compute/gpu_attention.h"
#include "oracle/cost/compute/gpu_convolution.h"
#include "oracle/cost/compute/gpu_linear_attention.h"
#include "oracle/cost/uncertainty.h"

namespace oracle {
namespace {

/// Part of the memory bandwidth that a plain streaming kernel reaches.
constexpr double kStreamingOnGpus = 0.85, kStreamingOnProcessors = 0.8;
/// How much longer what contracts takes on a GPU in a step than repeated alone, as kernels were
/// fitted: there it finds its data in the cache and the clock at its highest. Fitted on the 235
/// published steps of one GPU that constants may be fitted on, by the median error: of 1.18 to 1.25
/// the mean |ln(predicted / measured)| hardly differs. What streams is bound by memory, whose clock
/// stays: with 1.15 on all kernels that mean is 12.3 % and not 12.1, and judged runs are 9.4 % off
/// and not 8.8.
constexpr double kInStep = 1.2;
/// How far arithmetic and memory of a GPU's product overlap (RooflineTerms).
constexpr double kSharpness = 2.5;
/// Part of the fp32 peak that element-wise arithmetic reaches: half, as few operations are
/// multiply-adds, and half again for addresses and conversions.
constexpr double kElementwise = 0.25;
/// What a GPU's kernels take at least, in launch overheads.
constexpr double kProductStart = 4.0 / 3, kStreamStart = 2.0 / 3;
/// A part of a split k is at least this long.
constexpr std::int64_t kLeastSplitDepth = 256;

/// A shape of a processor's output tile, and the part of the ceiling that its ratio of arithmetic
/// to loads allows.
struct CoreTile {
  std::int64_t m, n;
  double efficiency;
};

/// From best to worst.
constexpr std::array<CoreTile, 3> kCoreTiles = {{{64, 64, 1.0}, {32, 32, 0.95}, {16, 16, 0.85}}};
/// The largest part of a processor's peak that large products reach.
constexpr double kCoreCeiling = 0.75;
/// k at which filling and draining the pipeline costs as much as the product.
constexpr double kCoreHalfDepth = 32;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Efficiency of `tile`, with k in as many parts as suit `cores` best.
double with_tile(const CoreTile& tile, const KernelDemand& product, std::int64_t cores) {
  const std::int64_t tiles =
      ceil_div(product.m, tile.m) * ceil_div(product.n, tile.n) * product.groups;
  const double work = static_cast<double>(product.m) * static_cast<double>(product.n) *
                      static_cast<double>(product.groups);
  const double per_wave = static_cast<double>(tile.m * tile.n * cores);
  const std::int64_t most = std::max<std::int64_t>(product.k / kLeastSplitDepth, 1);
  double best = 0;
  std::int64_t tried = 0;
  // Unsplit, one wave, four waves: more parts smooth the last wave but shorten k.
  for (const std::int64_t waves_wanted : {0, 1, 4}) {
    const std::int64_t parts = std::clamp<std::int64_t>(waves_wanted * cores / tiles, 1, most);
    if (parts == tried) continue;
    tried = parts;
    const auto waves = static_cast<double>(ceil_div(tiles * parts, cores));
    const double filled = work * static_cast<double>(parts) / (per_wave * waves);
    const double depth = static_cast<double>(product.k) / static_cast<double>(parts);
    best = std::max(best, filled * depth / (depth + kCoreHalfDepth));
  }
  return tile.efficiency * best;
}

double efficiency_on(const KernelDemand& product, std::int64_t cores) {
  double best = 0;
  for (const CoreTile& tile : kCoreTiles) {
    if (tile.efficiency <= best) break;
    best = std::max(best, with_tile(tile, product, cores));
  }
  return kCoreCeiling * best;
}

/// Of one rank's share [bytes/s].
double streaming_rate(const Cluster& cluster) {
  const bool gpu = cluster.device.device_class == DeviceClass::gpu;
  return cluster.device.memory_bandwidth.value * (gpu ? kStreamingOnGpus : kStreamingOnProcessors) /
         static_cast<double>(cluster.ranks_per_device);
}

std::int64_t units_of(const Cluster& cluster) {
  return std::max<std::int64_t>(cluster.device.multiprocessors / cluster.ranks_per_device, 1);
}

/// Products in fp16 add up in fp32: without a matrix unit they are no faster than those of fp32.
FlopRate product_peak(const Device& device, DataType type) {
  const FlopRate peak = device.sustained_peak_of(type);
  if (device.matrix_unit_for(type)) return peak;
  const FlopRate vector = device.sustained_peak_of(DataType::fp32);
  return vector.value > 0 ? std::min(peak, vector) : peak;
}

GpuShare share_of(const Cluster& cluster, DataType type) {
  const Device& device = cluster.device;
  const auto sharers = static_cast<double>(cluster.ranks_per_device);
  return {static_cast<double>(units_of(cluster)), product_peak(device, type).value / 2 / sharers,
          streaming_rate(cluster), device.launch_overhead.value * kProductStart, kSharpness};
}

RooflineTerms product_terms(const KernelDemand& demand, const GpuLibrary& library,
                            const GpuShare& share) {
  const Product product{static_cast<double>(demand.m), static_cast<double>(demand.n),
                        static_cast<double>(demand.k), static_cast<double>(demand.groups)};
  ProductRun run{library.tiles, library.ceiling, library.beta};
  if (!demand.aligned) run.factor = library.misaligned;
  // A pass may hold two such products: both gradients of a product of two tensors.
  const double products =
      demand.flops.value / (2 * product.m * product.n * product.k * product.groups);
  return {Seconds{share.start},
          Seconds{product_seconds(product, run, share) * std::max(products, 1.0)},
          Seconds{demand.traffic.value / share.bandwidth}, share.sharpness};
}

RooflineTerms attention_terms(const KernelDemand& demand, const Device& device,
                              const GpuShare& share) {
  const bool linear = demand.form == KernelForm::linear_attention;
  return {Seconds{share.start},
          linear ? linear_attention_seconds(demand, device, share.peak, share.multiprocessors)
                 : attention_seconds(demand, device, share.peak, share.multiprocessors),
          Seconds{demand.traffic.value / share.bandwidth}, share.sharpness};
}

/// Of what is no product.
RooflineTerms stream(const KernelDemand& demand, const Cluster& cluster, DataType type) {
  const Device& device = cluster.device;
  RooflineTerms terms;
  terms.launch = device.launch_overhead * static_cast<double>(demand.kernels);
  if (device.device_class == DeviceClass::gpu) terms.launch = terms.launch * kStreamStart;
  terms.memory = Seconds{demand.traffic.value / streaming_rate(cluster)};
  if (demand.flops.value > 0) {
    const FlopRate vector = device.peak_of(DataType::fp32);
    const FlopRate peak = vector.value > 0 ? vector : device.peak_of(type);
    terms.arithmetic =
        demand.flops / (peak * kElementwise) * static_cast<double>(cluster.ranks_per_device);
  }
  return terms;
}

RooflineTerms contraction(const KernelDemand& demand, DataType type, const Cluster& cluster) {
  return contraction_terms(demand, type, cluster, gpu_library(cluster.device, type));
}

/// Products of groups that begin at no multiple of 16 bytes: matrix units do not take them (NVIDIA,
/// Matrix Multiplication Background User's Guide). One product's rows are padded or copied.
bool lies_askew(const KernelDemand& demand, DataType type) {
  return demand.form == KernelForm::product && demand.groups > 1 && !demand.aligned &&
         type != DataType::fp32;
}

RooflineTerms on_gpu(const KernelDemand& demand, DataType type, const Cluster& cluster) {
  const bool has_fp32 = cluster.device.peak_of(DataType::fp32).value > 0;
  if (!demand.contracts()) {
    RooflineTerms terms = stream(demand, cluster, type);
    if (demand.form == KernelForm::depthwise) {
      terms.memory = terms.memory / depthwise_part(demand.pass);
    }
    return terms;
  }
  if (has_fp32 && lies_askew(demand, type)) return contraction(demand, DataType::fp32, cluster);
  const RooflineTerms terms = contraction(demand, type, cluster);
  if (type != DataType::tf32 || !has_fp32) return terms;
  // Where tf32 is allowed, a library may still take a kernel of the vector unit.
  const RooflineTerms vector = contraction(demand, DataType::fp32, cluster);
  return vector.total() < terms.total() ? vector : terms;
}

RooflineTerms on_processor(const KernelDemand& demand, DataType type, const Cluster& cluster) {
  RooflineTerms terms = stream(demand, cluster, type);
  if (!demand.contracts()) return terms;
  const double efficiency = efficiency_on(demand, units_of(cluster));
  terms.arithmetic = demand.flops / (cluster.device.sustained_peak_of(type) * efficiency) *
                     static_cast<double>(cluster.ranks_per_device);
  return terms;
}

}  // namespace

Seconds RooflineTerms::total() const {
  const double most = std::max(arithmetic, memory).value;
  const double least = std::min(arithmetic, memory).value;
  if (least <= 0 || sharpness == HUGE_VAL) return launch + Seconds{most};
  return launch + Seconds{most * std::pow(1 + std::pow(least / most, sharpness), 1 / sharpness)};
}

double contraction_efficiency(const KernelDemand& demand, const Device& device) {
  ensure(demand.contracts() && demand.m > 0 && demand.n > 0 && demand.k > 0,
         "efficiency is asked of a kernel that is no matrix product");
  return efficiency_on(demand, device.multiprocessors);
}

RooflineTerms contraction_terms(const KernelDemand& demand, DataType type, const Cluster& cluster,
                                const GpuLibrary& library) {
  const Device& device = cluster.device;
  const GpuShare share = share_of(cluster, type);
  RooflineTerms terms;
  if (demand.form == KernelForm::attention || demand.form == KernelForm::linear_attention) {
    terms = attention_terms(demand, device, share);
  } else if (demand.form == KernelForm::product) {
    terms = product_terms(demand, library, share);
  } else {
    terms = convolution_terms(demand, type, device.matrix_unit_for(type), library, share);
  }
  terms.launch += device.launch_overhead * (kStreamStart * (demand.kernels - 1));
  return terms;
}

Seconds RooflineTerms::in_a_step() const { return launch + (total() - launch) * in_step; }

RooflineTerms roofline_terms(const KernelDemand& demand, DataType type, const Cluster& cluster) {
  if (!demand.narrow) type = wide_of(type);
  ensure(cluster.device.peak_of(type).value > 0, "a kernel is priced in a format its device lacks");
  const bool gpu = cluster.device.device_class == DeviceClass::gpu;
  RooflineTerms terms = gpu ? on_gpu(demand, type, cluster) : on_processor(demand, type, cluster);
  terms.in_step = cluster.pace.factor * (gpu && demand.contracts() ? kInStep : 1);
  return terms;
}

Cost price_of(const RooflineTerms& terms, double uncertainty) {
  return {terms.in_a_step(), Source::assumed, uncertainty};
}

Cost roofline(const KernelDemand& demand, DataType type, const Cluster& cluster) {
  return price_of(roofline_terms(demand, type, cluster), kernel_uncertainty(cluster, type));
}

}  // namespace oracle
