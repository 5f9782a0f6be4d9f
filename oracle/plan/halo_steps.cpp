#include "oracle/plan/halo_steps.h"

#include "oracle/plan/promotion.h"

namespace oracle {

void list_halo_steps(const Graph& graph, const Plan& plan, LayerId tensor, LayerId layer,
                     const Halos& halos, std::int64_t Halo::*planes, Shape extents, Phase phase,
                     HaloSteps& steps) {
  steps.clear();
  if (graph[layer].reach != Reach::windowed) return;
  const Effects& effects = plan.assignment.effects[layer];
  const double bytes = value_bytes(graph, plan, tensor);
  const Payload payload =
      phase == Phase::forward ? Payload::activation : Payload::activation_gradient;
  std::uint8_t seen = 0, with = 0;
  for (std::size_t a = 0; a < plan.degrees.size(); ++a) {
    const int axis = spatial_axis_of(effects[a].input);
    if (axis < 0 || ((seen >> axis) & 1U) != 0) continue;
    const auto spatial = static_cast<std::size_t>(axis);
    const auto bit = static_cast<std::uint8_t>(1U << spatial);
    seen |= bit;
    const Halo& halo = halos[spatial];
    if (halo.sent == 0) continue;
    HaloStep step;
    step.before = extents;
    step.without = with;
    std::int64_t& extent = extents[kSpatialAxes[spatial]];
    const std::int64_t held = extents.elements() * plan.pieces[layer].samples;
    const std::int64_t elements = halo.*planes * (held / extent);
    extent = halo.held;
    with |= bit;
    step.after = extents;
    step.with = with;
    step.transfer = {Collective::halo_exchange,
                     axes_along(effects, spatial),
                     Bytes{bytes * static_cast<double>(elements)},
                     payload,
                     tensor,
                     Bytes{bytes * static_cast<double>(held)}};
    steps.push_back(step);
  }
}

}  // namespace oracle
