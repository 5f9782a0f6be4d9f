// What limits the step: the largest part of the busiest stage's time, and what is behind it.

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

/// "90 % of the step", of a pipeline "90 % of the step on stage 2, the busiest of 4".
std::string part_text(Seconds part, const Fits& fits) {
  std::string text = share_text(part, fits.timeline.length) + " of the step";
  if (fits.stages.size() > 1) {
    text += " on stage " + std::to_string(fits.timeline.slowest_stage) + ", the busiest of " +
            std::to_string(fits.stages.size());
  }
  return text;
}

/// The link between two stages that is busy longest.
std::string describe_messages(const Fits& fits) {
  std::size_t worst = 0;
  for (std::size_t s = 1; s + 1 < fits.stages.size(); ++s) {
    if (fits.stages[s].messages > fits.stages[worst].messages) worst = s;
  }
  return share_text(fits.timeline.breakdown.messages, fits.timeline.length) +
         " of the step: messages between stages, the longest from stage " + std::to_string(worst) +
         " to " + std::to_string(worst + 1) + " and back, " + to_text(fits.stages[worst].messages);
}

std::string plural_of(Payload payload) {
  std::string name(name_of(payload));
  if (!name.ends_with('s')) name += 's';
  return name;
}

/// The transfers of one kind that expose most, as "N all_reduce … over R ranks across <level>".
std::string describe_transfers(const Plan& plan, const Fits& fits, bool gradients) {
  const TransferTime* worst = nullptr;
  for (const TransferTime& row : fits.transfers) {
    const bool exchanges = row.phase == Phase::exchange || is_of_weights(row.transfer);
    if (exchanges != gradients) continue;
    if (row.stage != fits.timeline.slowest_stage) continue;
    if (worst == nullptr || row.exposed > worst->exposed) worst = &row;
  }
  if (worst == nullptr) return "communication";
  std::string text = std::string(worst->way()) + " of " + plural_of(worst->transfer.payload);
  if (worst->computed) return text;
  if (crosses_host_link(worst->transfer)) return text + ", across the link to the host";
  text += " over " + std::to_string(plan.group_size(worst->transfer.axes)) + " ranks, across the " +
          worst->level + " level";
  if (worst->sharing > 1.5) {
    text += ", where " + std::to_string(std::lround(worst->sharing)) + " groups share a link";
  }
  return text;
}

/// The layers of the busiest stage that take longest.
std::string describe_compute(const Setting& setting, const Fits& fits) {
  std::vector<LayerTime> layers = fits.layers;
  std::erase_if(layers,
                [&](const LayerTime& layer) { return layer.stage != fits.timeline.slowest_stage; });
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

/// By the device.
Seconds computed(const Breakdown& parts, const Offload& offload) {
  const Seconds passes = parts.forward + parts.backward;
  return offload.optimizer ? passes : passes + parts.update;
}

}  // namespace

std::string_view name_of(Bottleneck bottleneck) {
  constexpr std::array<std::string_view, 7> kNames = {"compute",
                                                      "memory bandwidth",
                                                      "launch overhead",
                                                      "activation communication",
                                                      "gradient communication",
                                                      "pipeline bubble",
                                                      "update on the host"};
  return kNames[static_cast<std::size_t>(bottleneck)];
}

Bottleneck find_bottleneck(const Timeline& timeline, const ComputeBounds& slowest,
                           const Offload& offload) {
  const Breakdown& parts = timeline.breakdown;
  const Seconds compute = computed(parts, offload);
  const Seconds on_host = offload.optimizer ? parts.update : Seconds{};
  const Seconds activations = parts.exposed_activation + parts.messages;
  const Seconds most =
      std::max({compute, activations, parts.exposed_gradient, parts.bubble, on_host});
  if (most == compute) return compute_bottleneck(slowest);
  if (most == activations) return Bottleneck::activation_exchange;
  if (most == parts.exposed_gradient) return Bottleneck::gradient_exchange;
  return most == on_host ? Bottleneck::host_update : Bottleneck::bubble;
}

std::string describe_bottleneck(const Setting& setting, const Plan& plan, const Fits& fits) {
  const Breakdown& parts = fits.timeline.breakdown;
  const std::string name(name_of(fits.bottleneck));
  switch (fits.bottleneck) {
    case Bottleneck::activation_exchange:
      if (parts.messages > parts.exposed_activation) return name + ", " + describe_messages(fits);
      return name + ", " + part_text(parts.exposed_activation, fits) + ": " +
             describe_transfers(plan, fits, false);
    case Bottleneck::gradient_exchange:
      return name + ", " + part_text(parts.exposed_gradient, fits) + ": " +
             describe_transfers(plan, fits, true);
    case Bottleneck::bubble:
      return name + ", " + part_text(parts.bubble, fits) + ", with " +
             std::to_string(plan.strategy.micro_batches) + " micro-batches";
    case Bottleneck::host_update:
      return name + ", " + part_text(parts.update, fits) + ", bound by the host's memory of " +
             to_text(setting.cluster.host.memory_bandwidth);
    default:
      break;
  }
  const Seconds compute = computed(parts, plan.strategy.offload);
  const std::string part = fits.bottleneck == Bottleneck::compute ? ", " : ", computation is ";
  return name + part + part_text(compute, fits) + ": " + describe_compute(setting, fits);
}

}  // namespace oracle
