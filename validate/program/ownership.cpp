#include "validate/program/ownership.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/plan/halo.h"

namespace oracle {
namespace {

constexpr std::size_t kChannel = static_cast<std::size_t>(Axis::channel);

std::size_t index_of(State state) { return static_cast<std::size_t>(axis_of(state)); }

/// The state that cuts tensor axis `d`.
State state_of(std::size_t d) { return static_cast<State>(d + 1); }

/// Positions of the parts whose digits over the axes of `order` that satisfy `active` are the
/// rank's.
template <typename Active>
Intervals parts_of(const Mesh& mesh, int rank, const std::vector<std::size_t>& order, Active active,
                   std::int64_t extent, std::int64_t grain) {
  std::int64_t parts = 1;
  for (const std::size_t a : order) parts *= mesh.degree(a);
  Intervals held;
  for (std::int64_t part = 0; part < parts; ++part) {
    std::int64_t left = part;
    bool mine = true;
    for (std::size_t i = order.size(); i-- > 0; left /= mesh.degree(order[i])) {
      const std::size_t a = order[i];
      mine = mine && (!active(a) || left % mesh.degree(a) == mesh.coordinate(rank, a));
    }
    if (!mine) continue;
    const Interval slab{slab_begin(part, extent / grain, parts) * grain,
                        slab_begin(part + 1, extent / grain, parts) * grain};
    if (slab.size() == 0) continue;
    if (!held.empty() && held.back().end == slab.begin) {
      held.back().end = slab.end;
    } else {
      held.push_back(slab);
    }
  }
  return held;
}

}  // namespace

Whole whole_of(const Layer& layer, std::int64_t samples, std::int64_t grain) {
  const Shape& shape = layer.output;
  return {{samples, shape.channels(), shape[Axis::depth], shape[Axis::height], shape[Axis::width]},
          grain};
}

std::vector<std::int64_t> channel_grains(const Graph& graph) {
  std::vector<std::int64_t> grains(graph.size(), 1);
  for (LayerId id = 1; id < graph.size(); ++id) {
    const Layer& layer = graph[id];
    if (layer.mixing != Mixing::channelwise) continue;
    const std::int64_t widening =
        std::max<std::int64_t>(1, layer.output.channels() / layer.input.channels());
    grains[id] = grains[layer.inputs.front()] * widening;
  }
  return grains;
}

Region region_of(const Whole& whole, const Layout& layout, const Mesh& mesh, int rank) {
  return LayoutChange(whole, layout, layout, mesh).held(rank);
}

LayoutChange::LayoutChange(const Whole& whole, const Layout& from, const Layout& to,
                           const Mesh& mesh)
    : whole_(whole), mesh_(mesh), current_(from), to_(to) {
  for (std::size_t d = 0; d < kRegionAxes; ++d) {
    for (std::size_t a = 0; a < mesh.axes(); ++a) {
      if (from[a] == state_of(d)) nested_[d].push_back(a);
      if (to[a] == state_of(d)) target_[d].push_back(a);
    }
    for (const std::size_t a : target_[d]) {
      if (from[a] != state_of(d)) nested_[d].push_back(a);
    }
  }
}

Region LayoutChange::held(int rank) const {
  Region region;
  for (std::size_t d = 0; d < kRegionAxes; ++d) {
    const auto active = [&](std::size_t a) { return current_[a] == state_of(d); };
    region.along[d] = parts_of(mesh_, rank, renumbered_[d] ? target_[d] : nested_[d], active,
                               extent_at(whole_.extents, d), d == kChannel ? whole_.grain : 1);
  }
  return region;
}

void LayoutChange::take_parts() {
  for (std::size_t a = 0; a < mesh_.axes(); ++a) {
    if (current_[a] == State::replicated) current_[a] = to_[a];
  }
}

bool LayoutChange::renumbers(const Conversion& step) const {
  if (step.collective != Collective::all_to_all) return false;
  for (std::size_t a = 0; a < mesh_.axes(); ++a) {
    if (((step.axes >> a) & 1U) != 0 && current_[a] != to_[a]) return false;
  }
  return true;
}

void LayoutChange::settle(const Conversion& step) {
  for (std::size_t a = 0; a < mesh_.axes(); ++a) {
    if (((step.axes >> a) & 1U) == 0) continue;
    if (current_[a] == to_[a] && is_sharded(to_[a])) renumbered_[index_of(to_[a])] = true;
    current_[a] = to_[a];
  }
}

}  // namespace oracle
