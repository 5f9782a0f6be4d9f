#pragma once
// Where do the parts of a tensor lie, and what does it take to lay it out otherwise?
//
// Over each mesh axis a tensor is replicated, sharded along one of its axes, or partial (each rank
// holds a summand). Changing the layout over one axis:
//
//   partial    → replicated   all_reduce
//   partial    → sharded      reduce_scatter
//   sharded    → replicated   all_gather
//   sharded(a) → sharded(b)   all_to_all
//   replicated → sharded      nothing (each takes its part)
//
// Several mesh axes may cut one tensor axis; the outermost numbers the largest parts (parts.h).
// Where a change leaves parts in another order, those who hold them send them to each other
// (send_receive): most parts go to one rank or stay, so no collective would move less.
//
// Collectives work on equal parts. Where a cut is uneven, all are padded to the largest, as
// libraries ask for: what is sent is that of members × largest part.
//                                tests/plan/layout/layout_test.cpp,
//                                tests/properties/layout_test.cpp

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "oracle/cluster/placement.h"
#include "oracle/graph/shape.h"
#include "oracle/plan/layout/parts.h"

namespace oracle {

/// Sharded along a tensor axis, or one of three states more. The rows of tokens on their way
/// through experts lie along the sequence: by `sequence` a rank has those of its tokens, by
/// `expert` those of its experts.
enum class State : std::uint8_t {
  replicated,
  sample,
  channel,
  depth,
  height,
  width,
  sequence,
  partial,
  expert
};
inline constexpr std::size_t kStateCount = kAxisCount + 3;
std::string_view name_of(State state);

constexpr State sharded(Axis axis) {
  return static_cast<State>(static_cast<std::uint8_t>(axis) + 1);
}
static_assert(sharded(Axis::sample) == State::sample);
static_assert(sharded(Axis::sequence) == State::sequence);

constexpr bool is_sharded(State state) {
  return state != State::replicated && state != State::partial;
}
/// Whether a rank has some of a text's tokens.
constexpr bool is_by_token(State state) {
  return state == State::sample || state == State::sequence;
}
/// The tensor axis a sharded state cuts. Requires is_sharded(state).
Axis axis_of(State state);

/// The state over each mesh axis; axes the mesh lacks are replicated.
using Layout = std::array<State, kMaxMeshAxes>;
/// All axes at once.
inline bool operator==(const Layout& one, const Layout& other) {
  static_assert(sizeof(Layout) == sizeof(std::uint64_t));
  return std::bit_cast<std::uint64_t>(one) == std::bit_cast<std::uint64_t>(other);
}

enum class Collective : std::uint8_t {
  all_reduce,
  reduce_scatter,
  all_gather,
  all_to_all,
  send_receive,
  halo_exchange,
  ring_pass,
  push,       ///< partial → sharded over some members, the servers
  pull,       ///< sharded over the servers → replicated
  butterfly,  ///< partial → replicated, of buffers that a member merges: each swaps log2(n) times
  to_host,    ///< from a device to the memory of its host,
  from_host   ///< and back
};
inline constexpr std::size_t kCollectiveCount = 12;
std::string_view name_of(Collective collective);

/// One step of a change of layout: a collective, or messages, among ranks along mesh axes.
/// `elements` is the buffer of one rank: of an all_reduce what it holds, of the other collectives
/// members × the largest part that one member gives another; of messages what the rank that sends
/// most sends.
struct Conversion {
  Collective collective = Collective::all_reduce;
  AxisSet axes = 0;
  std::int64_t elements = 0;
  bool operator==(const Conversion&) const = default;
};

/// The steps of one change: at most one per mesh axis, and one more where parts are renumbered.
class ConversionList {
 public:
  void push_back(const Conversion& conversion) { steps_[size_++] = conversion; }
  const Conversion* begin() const { return steps_.data(); }
  const Conversion* end() const { return steps_.data() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Conversion& operator[](std::size_t i) const { return steps_[i]; }

 private:
  std::array<Conversion, 2 * kMaxMeshAxes> steps_{};
  std::size_t size_ = 0;
};

/// Mesh axes over which `layout` has the sharded state `cut`.
PartOrder order_of(const Layout& layout, State cut, std::size_t mesh_axes);
/// The same while `from` becomes `to`: the cuts there were, then those that come.
PartOrder order_between(const Layout& from, const Layout& to, State cut, std::size_t mesh_axes);

/// Elements that the rank with most holds of `samples` samples of `shape`. `grain`: channels that
/// no cut separates (Layer::grain).
std::int64_t local_elements(const Shape& shape, std::int64_t samples, const Layout& layout,
                            std::span<const std::int64_t> degrees, std::int64_t grain = 1);

/// The collectives that turn `from` into `to`, cheapest order: parts are taken and sums scattered
/// before anything is gathered; axes with the same step are joined into one group.
/// Worked: 1024 features × 32 samples, partial over 4 ranks → sharded(channel): one reduce_scatter
/// of 32768 elements; sharded(channel) → replicated: one all_gather of 32768, and of 10 features
/// one of 4·3 × 32. Over a mesh of 2×2, (partial, channel) → (channel, channel): a reduce_scatter
/// of 16384 over the outer axis, which leaves ranks 1 and 2 with each other's part, and messages of
/// 8192.
ConversionList convert(const Layout& from, const Layout& to, const Shape& shape,
                       std::int64_t samples, std::span<const std::int64_t> degrees,
                       std::int64_t grain = 1);

}  // namespace oracle
