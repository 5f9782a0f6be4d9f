#include "oracle/plan/layout/layout.h"

#include "oracle/base/error.h"

namespace oracle {
namespace {

/// The step that a change over one axis takes.
enum class Step : std::uint8_t { none, scatter_sum, exchange, sum, gather };

Step step_of(State from, State to) {
  if (from == to) return Step::none;
  if (from == State::partial) return is_sharded(to) ? Step::scatter_sum : Step::sum;
  if (!is_sharded(from)) return Step::none;
  return is_sharded(to) ? Step::exchange : Step::gather;
}

/// Whether one exchange makes both moves. Tokens leave for experts, and come back, at once, be they
/// apart by samples or by positions.
bool are_one_move(State from, State to, State other_from, State other_to) {
  const auto alike = [&](State one, State other) {
    const bool apart = is_by_token(one) && is_by_token(other);
    return one == other || (apart && (from == State::expert || to == State::expert));
  };
  return alike(from, other_from) && alike(to, other_to);
}

/// Walks the axes of a change and collects groups of them that take the same step at once.
class Conversions {
 public:
  Conversions(const Layout& from, const Layout& to, const Shape& shape, std::int64_t samples,
              std::span<const std::int64_t> degrees, std::int64_t grain)
      : from_(from),
        to_(to),
        current_(from),
        shape_(shape),
        samples_(samples),
        degrees_(degrees),
        grain_(grain) {}

  ConversionList run() {
    take_parts();
    list_changes();
    for (std::size_t target = 0; target < kStateCount; ++target) {
      if (!changes(static_cast<State>(target))) continue;
      join(Step::scatter_sum, Collective::reduce_scatter,
           [&](std::size_t a) { return to_[a] == static_cast<State>(target); });
    }
    for (std::size_t a = 0; a < degrees_.size(); ++a) {
      const State from = current_[a], to = to_[a];
      join(Step::exchange, Collective::all_to_all,
           [&](std::size_t b) { return are_one_move(from, to, current_[b], to_[b]); });
    }
    join(Step::sum, Collective::all_reduce, [](std::size_t) { return true; });
    join(Step::gather, Collective::all_gather, [](std::size_t) { return true; });
    for (const Axis axis : kAxes) {
      if (changes(sharded(axis))) renumber(sharded(axis));
    }
    if (changes(State::expert)) renumber(State::expert);
    return conversions_;
  }

 private:
  /// Replicated to sharded: each rank takes its part; a replicated value is already complete.
  void take_parts() {
    for (std::size_t a = 0; a < degrees_.size(); ++a) {
      if (current_[a] == State::replicated) current_[a] = to_[a];
    }
  }

  /// States that some axis changes from or to.
  void list_changes() {
    for (std::size_t a = 0; a < degrees_.size(); ++a) {
      if (from_[a] == State::expert || to_[a] == State::expert) between_experts_ = true;
      if (from_[a] == to_[a]) continue;
      changes_ |= 1U << static_cast<unsigned>(from_[a]) | 1U << static_cast<unsigned>(to_[a]);
    }
  }
  bool changes(State state) const { return (changes_ >> static_cast<unsigned>(state) & 1U) != 0; }

  /// One collective over all axes that take `step` and satisfy `belongs`.
  template <typename Predicate>
  void join(Step step, Collective collective, Predicate belongs) {
    if (current_ == to_) return;
    AxisSet axes = 0;
    Layout next = current_;
    std::int64_t members = 1;
    for (std::size_t a = 0; a < degrees_.size(); ++a) {
      if (step_of(current_[a], to_[a]) != step || !belongs(a)) continue;
      axes |= AxisSet{1} << a;
      next[a] = to_[a];
      members *= degrees_[a];
    }
    if (axes == 0) return;
    const bool whole = collective == Collective::all_reduce;
    conversions_.push_back({collective, axes, (whole ? 1 : members) * largest_part(next)});
    current_ = next;
  }

  /// The most elements that one rank has now and one has next.
  std::int64_t largest_part(const Layout& next) const {
    return elements_of([&](State cut) { return largest_share_of(cut, next); });
  }

  /// Of so many positions by each cut. Of rows both those of some tokens and of some experts.
  template <typename Share>
  std::int64_t elements_of(Share share) const {
    std::int64_t elements = 1;
    for (const Axis axis : kAxes) {
      std::int64_t held = share(sharded(axis));
      if (axis == Axis::sequence && between_experts_) {
        const std::int64_t rows = shape_[axis];
        held = (held * share(State::expert) + rows - 1) / rows;
      }
      elements *= held;
    }
    return elements;
  }

  /// Along one tensor axis, under the cuts of now and next.
  std::int64_t largest_share_of(State cut, const Layout& next) const {
    AxisSet cuts = 0;
    for (std::size_t a = 0; a < degrees_.size(); ++a) {
      if (current_[a] == cut || next[a] == cut) cuts |= AxisSet{1} << a;
    }
    const Parts parts = parts_of(cut);
    return cuts == 0 ? parts.extent : largest_share(parts, cuts);
  }

  Parts parts_of(State cut) const {
    const std::size_t mesh_axes = degrees_.size();
    const bool as_in_target = renumbered_[static_cast<std::size_t>(cut)];
    return {
        cut == State::sample ? samples_ : shape_[axis_of(cut)], cut == State::channel ? grain_ : 1,
        as_in_target ? order_of(to_, cut, mesh_axes) : order_between(from_, to_, cut, mesh_axes),
        degrees_};
  }

  /// Mesh axes that cut one tensor axis number its parts, outermost first. Where one came or went
  /// outside of another that stays, or in another's place, each rank has a part of the right size
  /// and another's number: those who hold the parts exchange them.
  void renumber(State cut) {
    AxisSet disturbed = 0;
    bool came = false, went = false, stays_inside = false;
    for (std::size_t a = 0; a < degrees_.size(); ++a) {
      if (degrees_[a] == 1) continue;
      const bool was = from_[a] == cut, is = to_[a] == cut;
      stays_inside = stays_inside || (was && is && (came || went));
      came = came || (is && !was);
      went = went || (was && !is);
      if (is && (came || went)) disturbed |= AxisSet{1} << a;
    }
    if (!stays_inside && !(came && went)) return;
    const std::int64_t elements = elements_of([&](State other) {
      return other == cut ? most_renumbered(parts_of(cut), order_of(to_, cut, degrees_.size()))
                          : largest_share_of(other, to_);
    });
    conversions_.push_back({Collective::send_receive, disturbed, elements});
    renumbered_[static_cast<std::size_t>(cut)] = true;
  }

  const Layout& from_;
  const Layout& to_;
  Layout current_;
  const Shape& shape_;
  std::int64_t samples_;
  std::span<const std::int64_t> degrees_;
  std::int64_t grain_;
  unsigned changes_ = 0;
  bool between_experts_ = false;                ///< rows lie so before or after
  std::array<bool, kStateCount> renumbered_{};  ///< tensor axes numbered as in the target
  ConversionList conversions_;
};

}  // namespace

std::string_view name_of(State state) {
  if (state == State::expert) return "expert";
  if (is_sharded(state)) return name_of(axis_of(state));
  return state == State::partial ? "partial" : "replicated";
}

std::string_view name_of(Collective collective) {
  constexpr std::array<std::string_view, kCollectiveCount> kNames = {
      "all_reduce", "reduce_scatter", "all_gather", "all_to_all", "send_receive", "halo_exchange",
      "ring_pass",  "push",           "pull",       "butterfly",  "to_host",      "from_host"};
  return kNames[static_cast<std::size_t>(collective)];
}

Axis axis_of(State state) {
  ensure(is_sharded(state), "axis_of: the state shards nothing");
  if (state == State::expert) return Axis::sequence;
  return static_cast<Axis>(static_cast<std::size_t>(state) - 1);
}

PartOrder order_of(const Layout& layout, State cut, std::size_t mesh_axes) {
  return order_between(layout, layout, cut, mesh_axes);
}

PartOrder order_between(const Layout& from, const Layout& to, State cut, std::size_t mesh_axes) {
  PartOrder order;
  for (std::size_t a = 0; a < mesh_axes; ++a) {
    if (from[a] == cut) order.push_back(a);
  }
  for (std::size_t a = 0; a < mesh_axes; ++a) {
    if (to[a] == cut && from[a] != cut) order.push_back(a);
  }
  return order;
}

std::int64_t local_elements(const Shape& shape, std::int64_t samples, const Layout& layout,
                            std::span<const std::int64_t> degrees, std::int64_t grain) {
  std::array<std::int64_t, kAxisCount> parts;
  parts.fill(1);
  for (std::size_t a = 0; a < degrees.size(); ++a) {
    if (is_sharded(layout[a])) parts[static_cast<std::size_t>(axis_of(layout[a]))] *= degrees[a];
  }
  std::int64_t elements = (samples + parts[0] - 1) / parts[0];
  for (std::size_t d = 1; d < kAxisCount; ++d) {
    const std::int64_t together = d == static_cast<std::size_t>(Axis::channel) ? grain : 1;
    const std::int64_t extent = shape.extent[d];
    const bool is_whole = parts[d] == 1 && together == 1;
    elements *= is_whole ? extent : (extent / together + parts[d] - 1) / parts[d] * together;
  }
  return elements;
}

ConversionList convert(const Layout& from, const Layout& to, const Shape& shape,
                       std::int64_t samples, std::span<const std::int64_t> degrees,
                       std::int64_t grain) {
  if (from == to) return {};
  return Conversions(from, to, shape, samples, degrees, grain).run();
}

}  // namespace oracle
