#include "oracle/cost/compute/gpu_attention.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace oracle {
namespace {

constexpr double kTile = 128;
constexpr double kTilesToFill = 4;
/// Of the peak, where fewer tiles stand on a multiprocessor.
constexpr double kFew = 0.42;
/// Rate of backward by that of forward.
constexpr double kBackward = 2.5 / 3.1;

/// Parts of the peak up to a size of the heads.
struct Part {
  std::int64_t head;
  double ampere, hopper;
};
constexpr std::array<Part, 3> kPartsOfPeak = {
    {{56, 0.36, 0.21}, {80, 0.54, 0.31}, {128, 0.58, 0.35}}};
constexpr Part kPartOfLargest = {0, 0.51, 0.32};

double part_of(const KernelDemand& demand, const Device& device, double units) {
  const auto row = std::find_if(kPartsOfPeak.begin(), kPartsOfPeak.end(),
                                [&](const Part& part) { return demand.n <= part.head; });
  const Part& part = row == kPartsOfPeak.end() ? kPartOfLargest : *row;
  const double reached = device.generation >= Generation::hopper ? part.hopper : part.ampere;
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
