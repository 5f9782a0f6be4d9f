#include "oracle/cost/compute/gpu_attention.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace oracle {
namespace {

constexpr double kTile = 128;
constexpr double kTilesToFill = 4;
/// Of the peak, where fewer tiles stand on a multiprocessor.
constexpr double kFew = 0.44;
/// Rate of backward by that of forward.
constexpr double kBackward = 2.5 / 3.1;

/// By AttentionKernel.
using ByKernel = std::array<double, kAttentionKernelCount>;

/// Parts of the peak up to a size of the heads.
struct Part {
  std::int64_t head;
  double ampere;
  ByKernel hopper, blackwell;
};
constexpr std::array<Part, 3> kPartsOfPeak = {{
    {56, 0.38, {0.22, 0.31, 0.37}, {0.22, 0.31, 0.41}},
    {80, 0.57, {0.33, 0.46, 0.53}, {0.33, 0.46, 0.60}},
    {128, 0.61, {0.37, 0.68, 0.72}, {0.37, 0.68, 0.82}},
}};
constexpr Part kPartOfLargest = {0, 0.54, {0.34, 0.66, 0.82}, {0.34, 0.66, 0.82}};

double part_of(const KernelDemand& demand, const Device& device, double units) {
  const auto row = std::find_if(kPartsOfPeak.begin(), kPartsOfPeak.end(),
                                [&](const Part& part) { return demand.n <= part.head; });
  const Part& part = row == kPartsOfPeak.end() ? kPartOfLargest : *row;
  const auto kernel = static_cast<std::size_t>(demand.attention);
  double reached = part.ampere;
  if (device.generation == Generation::hopper) reached = part.hopper[kernel];
  if (device.generation > Generation::hopper) reached = part.blackwell[kernel];
  const double tiles =
      std::ceil(static_cast<double>(demand.m) / kTile) * static_cast<double>(demand.groups);
  return tiles < kTilesToFill * units ? std::min(reached, kFew) : reached;
}

}  // namespace

Seconds attention_seconds(const KernelDemand& demand, const Device& device, double peak,
                          double units) {
  const double rate =
      2 * peak * part_of(demand, device, units) * (demand.pass == Pass::forward ? 1 : kBackward);
  const auto keys = static_cast<double>(demand.k);
  const double computed = demand.causal ? 1 + kTile / 2 / keys : 1;
  return Seconds{demand.flops.value * computed / rate};
}

}  // namespace oracle
