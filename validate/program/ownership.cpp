#include "validate/program/ownership.h"

#include <algorithm>

#include "microbench/kernels/kernel.h"
#include "oracle/plan/layout/dealt.h"

namespace oracle {
namespace {

std::size_t index_of(State state) { return static_cast<std::size_t>(axis_of(state)); }

/// Positions of the parts whose digits over the axes of `order` that satisfy `active` are the
/// rank's; `dealt` as of Whole.
template <typename Active>
Intervals held_of(const Parts& parts, std::int64_t dealt, const Mesh& mesh, int rank,
                  Active active) {
  std::vector<Positions> slabs;
  for (std::int64_t part = 0; part < parts.count(); ++part) {
    std::int64_t left = part;
    bool mine = true;
    for (std::size_t i = parts.order.size(); i-- > 0; left /= mesh.degree(parts.order[i])) {
      const std::size_t a = parts.order[i];
      mine = mine && (!active(a) || left % mesh.degree(a) == mesh.coordinate(rank, a));
    }
    if (mine) slabs.push_back({parts.begin_of(part), parts.begin_of(part + 1)});
  }
  Intervals held;
  for (const Positions& positions : dealt_positions(slabs, parts.extent, dealt)) {
    held.push_back({positions.begin, positions.end});
  }
  return held;
}

/// A text's positions lie along the width.
Layout along_width(Layout layout) {
  const auto along = [](State state) { return state == State::sequence || state == State::expert; };
  std::replace_if(layout.begin(), layout.end(), along, State::width);
  return layout;
}

}  // namespace

Whole whole_of(const Layer& layer, std::int64_t samples) {
  return {extents_of(layer.output, samples), layer.grain};
}

Region region_of(const Whole& whole, const Layout& layout, const Mesh& mesh, int rank) {
  return LayoutChange(whole, layout, layout, mesh).held(rank);
}

LayoutChange::LayoutChange(const Whole& whole, const Layout& from, const Layout& to,
                           const Mesh& mesh)
    : whole_(whole), mesh_(mesh), current_(along_width(from)), to_(along_width(to)) {
  for (std::size_t d = 0; d < kRegionAxes; ++d) {
    nested_[d] = order_between(current_, to_, sharded(kAxes[d]), mesh.axes());
    target_[d] = order_of(to_, sharded(kAxes[d]), mesh.axes());
  }
}

Region LayoutChange::held(int rank) const {
  Region region;
  for (std::size_t d = 0; d < kRegionAxes; ++d) {
    const auto active = [&](std::size_t a) { return current_[a] == sharded(kAxes[d]); };
    const Parts parts{extent_at(whole_.extents, d), d == kChannelAxis ? whole_.grain : 1,
                      renumbered_[d] ? target_[d] : nested_[d], mesh_.degrees()};
    region.along[d] = held_of(parts, d == kWidthAxis ? whole_.dealt : 1, mesh_, rank, active);
  }
  return region;
}

void LayoutChange::take_parts() {
  for (std::size_t a = 0; a < mesh_.axes(); ++a) {
    if (current_[a] == State::replicated) current_[a] = to_[a];
  }
}

void LayoutChange::settle(const Conversion& step) {
  for (std::size_t a = 0; a < mesh_.axes(); ++a) {
    if (((step.axes >> a) & 1U) == 0) continue;
    if (current_[a] == to_[a] && is_sharded(to_[a])) renumbered_[index_of(to_[a])] = true;
    current_[a] = to_[a];
  }
}

}  // namespace oracle
