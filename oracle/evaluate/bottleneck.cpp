// What limits the step: the largest part of the slowest stage's time, and what is behind it.

#include <algorithm>
#include <array>
#include <cmath>

#include "oracle/base/quantity_text.h"
#include "oracle/evaluate/details.h"

namespace oracle {
namespace {

Bottleneck compute_bottleneck(const ComputeBounds& bounds) {
  if (bounds.launches > std::max(bounds.arithmetic, bounds.traffic)) {
    return Bottleneck::launch_overhead;
  }
  return bounds.arithmetic > bounds.traffic ? Bottleneck::compute : Bottleneck::memory_bandwidth;
}

std::string share_text(Seconds part, Seconds whole) {
  const double percent = whole.value > 0 ? 100 * part.value / whole.value : 0;
  return std::to_string(std::lround(percent)) + " %";
}

/// The transfers of one phase that expose most, as "N all_reduce … over R ranks across <level>".
std::string describe_transfers(const Plan& plan, const Fits& fits, bool gradients) {
  const TransferTime* worst = nullptr;
  for (const TransferTime& row : fits.transfers) {
    if ((row.phase == Phase::exchange) != gradients) continue;
    if (row.stage != fits.timeline.slowest_stage) continue;
    if (worst == nullptr || row.exposed > worst->exposed) worst = &row;
  }
  if (worst == nullptr) return "communication";
  std::string text = std::string(name_of(worst->transfer.collective)) + " of " +
                     std::string(name_of(worst->transfer.payload)) + "s over " +
                     std::to_string(plan.group_size(worst->transfer.axes)) + " ranks, across the " +
                     worst->level + " level";
  if (worst->sharing > 1.5) {
    text += ", where " + std::to_string(std::lround(worst->sharing)) + " groups share a link";
  }
  return text;
}

std::string describe_compute(const Setting& setting, const Fits& fits) {
  std::vector<LayerTime> layers = fits.layers;
  const std::size_t shown = std::min<std::size_t>(3, layers.size());
  std::partial_sort(layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(shown),
                    layers.end(),
                    [](const LayerTime& a, const LayerTime& b) { return a.total() > b.total(); });
  std::string text = "longest layers ";
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += ", ";
    text += setting.graph[layers[i].layer].name + " " + to_text(layers[i].total());
  }
  return text;
}

}  // namespace

std::string_view name_of(Bottleneck bottleneck) {
  constexpr std::array<std::string_view, 6> kNames = {"compute",
                                                      "memory bandwidth",
                                                      "launch overhead",
                                                      "activation communication",
                                                      "gradient communication",
                                                      "pipeline bubble"};
  return kNames[static_cast<std::size_t>(bottleneck)];
}

Bottleneck find_bottleneck(const Timeline& timeline, const ComputeBounds& slowest) {
  const Breakdown& parts = timeline.breakdown;
  const Seconds compute = parts.forward + parts.backward + parts.update;
  const Seconds most =
      std::max({compute, parts.exposed_activation, parts.exposed_gradient, parts.bubble});
  if (most == compute) return compute_bottleneck(slowest);
  if (most == parts.exposed_activation) return Bottleneck::activation_exchange;
  return most == parts.exposed_gradient ? Bottleneck::gradient_exchange : Bottleneck::bubble;
}

std::string describe_bottleneck(const Setting& setting, const Plan& plan, const Fits& fits) {
  const Breakdown& parts = fits.timeline.breakdown;
  const Seconds length = fits.timeline.length;
  const std::string name(name_of(fits.bottleneck));
  switch (fits.bottleneck) {
    case Bottleneck::activation_exchange:
      return name + ", " + share_text(parts.exposed_activation, length) +
             " of the step: " + describe_transfers(plan, fits, false);
    case Bottleneck::gradient_exchange:
      return name + ", " + share_text(parts.exposed_gradient, length) +
             " of the step: " + describe_transfers(plan, fits, true);
    case Bottleneck::bubble:
      return name + ", " + share_text(parts.bubble, length) +
             " of the step: " + std::to_string(plan.stages.size()) + " stages, " +
             std::to_string(plan.strategy.micro_batches) + " micro-batches";
    default:
      break;
  }
  const Seconds compute = parts.forward + parts.backward + parts.update;
  const std::string part = fits.bottleneck == Bottleneck::compute ? ", " : ", computation is ";
  return name + part + share_text(compute, length) +
         " of the step: " + describe_compute(setting, fits);
}

}  // namespace oracle
