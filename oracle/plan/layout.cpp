#include "oracle/plan/layout.h"

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr std::size_t kStateCount = 7;

/// The step that a change over one axis takes; Collective count stands for "nothing to send".
enum class Step : std::uint8_t { none, scatter_sum, exchange, sum, gather };

Step step_of(State from, State to) {
  if (from == to) return Step::none;
  if (from == State::partial) return is_sharded(to) ? Step::scatter_sum : Step::sum;
  if (!is_sharded(from)) return Step::none;
  return is_sharded(to) ? Step::exchange : Step::gather;
}

/// Walks the axes of a change and collects groups of them that take the same step at once.
class Conversions {
 public:
  Conversions(const Layout& from, const Layout& to, const Shape& shape, std::int64_t samples,
              std::span<const std::int64_t> degrees)
      : from_(from), to_(to), current_(from), shape_(shape), samples_(samples), degrees_(degrees) {}

  ConversionList run() {
    take_parts();
    for (std::size_t target = 0; target < kStateCount; ++target) {
      join(Step::scatter_sum, Collective::reduce_scatter,
           [&](std::size_t a) { return to_[a] == static_cast<State>(target); });
    }
    for (std::size_t a = 0; a < degrees_.size(); ++a) {
      const State from = current_[a], to = to_[a];
      join(Step::exchange, Collective::all_to_all,
           [&](std::size_t b) { return current_[b] == from && to_[b] == to; });
    }
    join(Step::sum, Collective::all_reduce, [](std::size_t) { return true; });
    join(Step::gather, Collective::all_gather, [](std::size_t) { return true; });
    for (std::size_t state = 0; state < kStateCount; ++state) {
      const auto cut = static_cast<State>(state);
      if (is_sharded(cut)) renumber(cut);
    }
    return conversions_;
  }

 private:
  /// Replicated to sharded: each rank takes its part; a replicated value is already complete.
  void take_parts() {
    for (std::size_t a = 0; a < degrees_.size(); ++a) {
      if (current_[a] == State::replicated) current_[a] = to_[a];
    }
  }

  /// One collective over all axes that take `step` and satisfy `belongs`.
  template <typename Predicate>
  void join(Step step, Collective collective, Predicate belongs) {
    AxisSet axes = 0;
    Layout next = current_;
    for (std::size_t a = 0; a < degrees_.size(); ++a) {
      if (step_of(current_[a], to_[a]) != step || !belongs(a)) continue;
      axes |= AxisSet{1} << a;
      next[a] = to_[a];
    }
    if (axes == 0) return;
    const Layout& largest = collective == Collective::all_gather ? next : current_;
    conversions_.push_back({collective, axes, local_elements(shape_, samples_, largest, degrees_)});
    current_ = next;
  }

  /// Mesh axes that cut one tensor axis number its parts, outermost first. Where one came or went
  /// outside of another that stays, or in another's place, each rank has a part of the right size
  /// and another's number: those who hold the parts exchange them.
  void renumber(State cut) {
    AxisSet disturbed = 0;
    bool came = false, went = false, stays_inside = false;
    for (std::size_t a = 0; a < degrees_.size(); ++a) {
      const bool was = from_[a] == cut, is = to_[a] == cut;
      stays_inside = stays_inside || (was && is && (came || went));
      came = came || (is && !was);
      went = went || (was && !is);
      if (is && (came || went)) disturbed |= AxisSet{1} << a;
    }
    if (!stays_inside && !(came && went)) return;
    conversions_.push_back(
        {Collective::all_to_all, disturbed, local_elements(shape_, samples_, to_, degrees_)});
  }

  const Layout& from_;
  const Layout& to_;
  Layout current_;
  const Shape& shape_;
  std::int64_t samples_;
  std::span<const std::int64_t> degrees_;
  ConversionList conversions_;
};

}  // namespace

std::string_view name_of(State state) {
  constexpr std::array<std::string_view, kStateCount> kNames = {
      "replicated", "sample", "channel", "depth", "height", "width", "partial"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view name_of(Collective collective) {
  constexpr std::array<std::string_view, kCollectiveCount> kNames = {
      "all_reduce", "reduce_scatter", "all_gather", "all_to_all", "send_receive", "halo_exchange"};
  return kNames[static_cast<std::size_t>(collective)];
}

Axis axis_of(State state) {
  ensure(is_sharded(state), "axis_of: the state shards nothing");
  constexpr std::array<Axis, 5> kAxes = {Axis::sample, Axis::channel, Axis::depth, Axis::height,
                                         Axis::width};
  return kAxes[static_cast<std::size_t>(state) - 1];
}

std::int64_t local_elements(const Shape& shape, std::int64_t samples, const Layout& layout,
                            std::span<const std::int64_t> degrees) {
  std::array<std::int64_t, kAxisCount> parts{1, 1, 1, 1, 1, 1};
  for (std::size_t a = 0; a < degrees.size(); ++a) {
    if (is_sharded(layout[a])) parts[static_cast<std::size_t>(axis_of(layout[a]))] *= degrees[a];
  }
  std::int64_t elements = (samples + parts[0] - 1) / parts[0];
  for (std::size_t d = 1; d < kAxisCount; ++d) {
    elements *= (shape.extent[d] + parts[d] - 1) / parts[d];
  }
  return elements;
}

ConversionList convert(const Layout& from, const Layout& to, const Shape& shape,
                       std::int64_t samples, std::span<const std::int64_t> degrees) {
  if (from == to) return {};
  return Conversions(from, to, shape, samples, degrees).run();
}

}  // namespace oracle
