#include "tests/properties/layout_simulation.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "oracle/plan/layout/halo.h"

namespace oracle {
namespace {

using Summands = std::uint32_t;  ///< one bit for each rank that held a summand; 0: not held
using Axes = std::vector<std::size_t>;

constexpr std::array<State, 3> kCuts = {State::sample, State::channel, State::height};

/// The ranks, and which of them holds which part.
class Mesh {
 public:
  Mesh(const WholeTensor& tensor, std::span<const std::int64_t> degrees)
      : tensor_(tensor), degrees_(degrees.begin(), degrees.end()) {
    std::size_t ranks = 1;
    for (const std::int64_t degree : degrees_) ranks *= static_cast<std::size_t>(degree);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::vector<std::int64_t> at(degrees_.size());
      auto left = static_cast<std::int64_t>(rank);
      for (std::size_t a = at.size(); a-- > 0; left /= degrees_[a]) at[a] = left % degrees_[a];
      coordinates_.push_back(std::move(at));
    }
  }

  std::size_t ranks() const { return coordinates_.size(); }
  std::size_t axes() const { return degrees_.size(); }
  std::int64_t coordinate(std::size_t rank, std::size_t axis) const {
    return coordinates_[rank][axis];
  }

  Axes cut_by(const Layout& layout, State state) const {
    Axes found;
    for (std::size_t a = 0; a < axes(); ++a) {
      if (layout[a] == state) found.push_back(a);
    }
    return found;
  }

  /// The coordinate over axis `wanted` of the part that holds the element, when `order` (outermost
  /// first) cuts the tensor axis of `state`.
  std::int64_t digit(std::size_t element, State state, const Axes& order,
                     std::size_t wanted) const {
    std::int64_t parts = 1;
    for (const std::size_t a : order) parts *= degrees_[a];
    std::int64_t part = part_of(element, state, parts);
    for (auto a = order.rbegin(); *a != wanted; ++a) part /= degrees_[*a];
    return part % degrees_[wanted];
  }

  std::vector<std::size_t> group_of(std::size_t rank, AxisSet along) const {
    std::vector<std::size_t> members;
    for (std::size_t other = 0; other < ranks(); ++other) {
      bool same = true;
      for (std::size_t a = 0; a < axes(); ++a) {
        same = same && ((along >> a & 1U) != 0 || coordinate(rank, a) == coordinate(other, a));
      }
      if (same) members.push_back(other);
    }
    return members;
  }

  /// Number of a rank among those that hold summands of the same elements.
  int summand(std::size_t rank, const Layout& layout) const {
    std::int64_t number = 0;
    for (const std::size_t a : cut_by(layout, State::partial)) {
      number = number * degrees_[a] + coordinate(rank, a);
    }
    return static_cast<int>(number);
  }

 private:
  std::int64_t part_of(std::size_t element, State state, std::int64_t parts) const {
    const auto e = static_cast<std::int64_t>(element);
    std::int64_t position = e % tensor_.heights, extent = tensor_.heights, part = 0;
    if (state == State::channel) {
      position = e / tensor_.heights % tensor_.channels;
      extent = tensor_.channels;
    } else if (state == State::sample) {
      position = e / tensor_.heights / tensor_.channels;
      extent = tensor_.samples;
    }
    while (slab_begin(part + 1, extent, parts) <= position) ++part;
    return part;
  }

  const WholeTensor& tensor_;
  std::vector<std::int64_t> degrees_;
  std::vector<std::vector<std::int64_t>> coordinates_;
};

class Simulation {
 public:
  Simulation(const Layout& from, const Layout& to, const WholeTensor& tensor,
             std::span<const std::int64_t> degrees)
      : mesh_(tensor, degrees),
        current_(from),
        to_(to),
        elements_(static_cast<std::size_t>(tensor.elements())),
        full_((Summands{2} << mesh_.summand(mesh_.ranks() - 1, from)) - 1),
        held_(mesh_.ranks(), std::vector<Summands>(elements_)) {
    number_parts(from);
    for (std::size_t rank = 0; rank < mesh_.ranks(); ++rank) {
      for (std::size_t e = 0; e < elements_; ++e) {
        if (wants(rank, e)) held_[rank][e] = Summands{1} << mesh_.summand(rank, from);
      }
    }
    take_parts();
  }

  /// Carries one step out; what went wrong, or "".
  std::string run(const Conversion& step) {
    settle(step.axes);
    const bool sums =
        step.collective == Collective::all_reduce || step.collective == Collective::reduce_scatter;
    const auto giving =
        std::exchange(held_, std::vector(mesh_.ranks(), std::vector<Summands>(elements_)));
    std::int64_t buffer = 0;
    for (std::size_t rank = 0; rank < mesh_.ranks(); ++rank) {
      const std::vector<std::size_t> members = mesh_.group_of(rank, step.axes);
      for (std::size_t e = 0; e < elements_; ++e) {
        if (wants(rank, e)) held_[rank][e] = received(giving, members, e, sums);
      }
      buffer = std::max(buffer, buffer_of(step.collective, giving[rank], rank, members));
    }
    if (twice_) return "a summand is added twice";
    if (buffer == step.elements) return "";
    return std::string(name_of(step.collective)) + " of " + std::to_string(buffer) +
           " elements, stated " + std::to_string(step.elements);
  }

  std::string missing() {
    renumbered_ = {true, true, true};
    current_ = to_;
    for (std::size_t rank = 0; rank < mesh_.ranks(); ++rank) {
      for (std::size_t e = 0; e < elements_; ++e) {
        if (wants(rank, e) && held_[rank][e] != full_) {
          return "rank " + std::to_string(rank) + " lacks element " + std::to_string(e);
        }
      }
    }
    return "";
  }

 private:
  using Digits = std::array<std::array<std::int64_t, kMaxMeshAxes>, kCuts.size()>;

  /// Of a state in kCuts.
  static std::size_t index_of(State state) {
    return state == State::height ? 2 : static_cast<std::size_t>(state) - 1;
  }

  /// As the change goes on, new cuts lie inside of those there were; in the target the outermost is
  /// first.
  void number_parts(const Layout& from) {
    nested_.resize(elements_);
    target_.resize(elements_);
    for (std::size_t s = 0; s < kCuts.size(); ++s) {
      const Axes last = mesh_.cut_by(to_, kCuts[s]);
      Axes nested = mesh_.cut_by(from, kCuts[s]);
      for (const std::size_t a : last) {
        if (from[a] != kCuts[s]) nested.push_back(a);
      }
      for (std::size_t e = 0; e < elements_; ++e) {
        for (const std::size_t a : nested) nested_[e][s][a] = mesh_.digit(e, kCuts[s], nested, a);
        for (const std::size_t a : last) target_[e][s][a] = mesh_.digit(e, kCuts[s], last, a);
      }
    }
  }

  bool wants(std::size_t rank, std::size_t element) const {
    for (std::size_t a = 0; a < mesh_.axes(); ++a) {
      if (!is_sharded(current_[a])) continue;
      const std::size_t s = index_of(current_[a]);
      const Digits& digits = renumbered_[s] ? target_[element] : nested_[element];
      if (digits[s][a] != mesh_.coordinate(rank, a)) return false;
    }
    return true;
  }

  /// What is whole is cut without a message.
  void take_parts() {
    for (std::size_t a = 0; a < mesh_.axes(); ++a) {
      if (current_[a] == State::replicated) current_[a] = to_[a];
    }
    for (std::size_t rank = 0; rank < mesh_.ranks(); ++rank) {
      for (std::size_t e = 0; e < elements_; ++e) {
        if (!wants(rank, e)) held_[rank][e] = 0;
      }
    }
  }

  void settle(AxisSet axes) {
    for (std::size_t a = 0; a < mesh_.axes(); ++a) {
      if ((axes >> a & 1U) == 0) continue;
      if (current_[a] == to_[a] && is_sharded(to_[a])) renumbered_[index_of(to_[a])] = true;
      current_[a] = to_[a];
    }
  }

  /// What the members make of an element: a sum needs all of them, a copy one.
  Summands received(const std::vector<std::vector<Summands>>& giving,
                    const std::vector<std::size_t>& members, std::size_t element, bool sums) {
    Summands result = 0;
    for (const std::size_t member : members) {
      const Summands part = giving[member][element];
      if (sums && part == 0) return 0;
      twice_ = twice_ || (sums && (result & part) != 0);
      result |= part;
    }
    return result;
  }

  /// Elements of the buffer with which `rank`, who has `given`, takes part: what it has, parts as
  /// large as its largest for every member, or what it sends to others.
  std::int64_t buffer_of(Collective collective, const std::vector<Summands>& given,
                         std::size_t rank, const std::vector<std::size_t>& members) const {
    std::int64_t largest = 0, sent = 0;
    for (const std::size_t member : members) {
      std::int64_t part = 0;
      for (std::size_t e = 0; e < elements_; ++e) {
        part += given[e] != 0 && wants(member, e) ? 1 : 0;
      }
      largest = std::max(largest, part);
      sent += member != rank ? part : 0;
    }
    if (collective == Collective::all_reduce) return largest;
    if (collective == Collective::send_receive) return sent;
    return static_cast<std::int64_t>(members.size()) * largest;
  }

  Mesh mesh_;
  Layout current_;
  const Layout& to_;
  std::size_t elements_;
  Summands full_;
  std::vector<std::vector<Summands>> held_;      ///< by rank and element
  std::vector<Digits> nested_, target_;          ///< of each element's part
  std::array<bool, kCuts.size()> renumbered_{};  ///< tensor axes numbered as in the target
  bool twice_ = false;
};

}  // namespace

Shape WholeTensor::shape() const {
  Shape shape;
  shape[Axis::channel] = channels;
  shape[Axis::height] = heights;
  return shape;
}

std::string missing_after(const Layout& from, const Layout& to, const WholeTensor& tensor,
                          std::span<const std::int64_t> degrees,
                          std::span<const Conversion> steps) {
  Simulation simulation(from, to, tensor, degrees);
  for (const Conversion& step : steps) {
    if (std::string text = simulation.run(step); !text.empty()) return text;
  }
  return simulation.missing();
}

}  // namespace oracle
