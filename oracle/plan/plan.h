#pragma once
// Which program does each rank run in one training step?
//
// A plan holds, per pipeline stage, an ordered list of items: Work (a layer's pass on a local
// piece) and Transfer (a collective on a group of the mesh), with the tensors that each reads and
// writes. A tensor is written once, so that dependencies, lifetimes and peaks follow from the
// items. The plan is symbolic in its groups: all ranks of a stage run the same list, so 16,384
// ranks cost no more to plan than 8. The oracle prices it; the validator executes it. It knows no
// seconds.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/plan/cuts/cut.h"
#include "oracle/plan/infeasible.h"
#include "oracle/plan/layout/layout.h"
#include "oracle/plan/pipeline_order.h"
#include "oracle/plan/recompute.h"
#include "oracle/plan/strategy/strategy.h"
#include "oracle/plan/training.h"

namespace oracle {

/// What its cut does to a layer, over each mesh axis.
using Effects = std::array<CutEffect, kMaxMeshAxes>;

struct Assignment {
  std::vector<Effects> effects;  ///< per layer
  /// By layer the first one that is alike (Graph::alike) and cut alike: mostly itself.
  std::vector<LayerId> like;

  bool treats_alike(LayerId one, LayerId other) const {
    return like[one] == like[other] || effects[one] == effects[other];
  }
};

/// What one rank holds of a layer for one micro-batch. Extents are rounded up where a cut is
/// uneven.
struct Piece {
  std::int64_t samples = 0;
  Shape input;  ///< of the first input, without halo
  /// Planes of it that come from neighbours, by spatial axis: of the rank that reads most.
  std::array<std::int64_t, 3> halo{};
  Shape output;
  std::int64_t reduction = 0;  ///< multiply-adds per output element
  std::int64_t groups = 1;
  std::int64_t experts = 1;  ///< whose weights it holds
  std::int64_t steps = 1;    ///< equal ones, each an item, in which it reads keys (key_ring.h)
  std::int64_t weights = 0;  ///< parameters that its passes read
  std::int64_t shared = 0;   ///< of them those that belong to earlier layers
  bool frozen = false;       ///< they stay as they are
  Layout input_layout{};     ///< as the layer demands its first input
  Layout output_layout{};    ///< as the layer delivers its output
  Layout gradient_layout{};  ///< as its backward demands the output gradient
  bool in_norm = false;  ///< the kernel of a batch normalization before it computes it (fusion.h)
  /// Of what it reads the part that it takes in fp32, and whether it makes its output so, where
  /// activations have fewer bits (promotion.h).
  double wide_inputs = 0;
  bool wide_output = false;
  /// Ranks that repeat the same forward work (product of the degrees that leave the layer whole).
  std::int64_t redundancy = 1;

  std::int64_t owned() const { return weights - shared; }
  /// What its forward reads of the first input, and its gradient of the weights again.
  Shape read() const;
};

enum class Phase : std::uint8_t { forward, backward, exchange, update };
inline constexpr std::size_t kPhaseCount = 4;
std::string_view name_of(Phase phase);

/// What a transfer moves.
enum class Payload : std::uint8_t {
  activation,
  activation_gradient,
  weight_gradient,
  statistics,
  weight,
  compressed_gradient  ///< of weights, as an exchange sends it (exchanges/)
};
inline constexpr std::size_t kPayloadCount = 6;
std::string_view name_of(Payload payload);

inline constexpr LayerId kAllLayers = 0xffffffff;

struct Work {
  LayerId layer = 0;  ///< kAllLayers for the optimizer's update of every weight of the stage
  Pass pass = Pass::forward;
  Bytes streamed{};  ///< that Pass::quantize reads and writes
};

struct Transfer {
  Collective collective = Collective::all_reduce;
  /// Mesh axes the group spans; for a halo those that cut the positions (neighbours are one slab
  /// apart), for send_receive the pipeline's or those along which parts are renumbered.
  AxisSet axes = 0;
  /// Buffer of one rank: what it holds for an all_reduce, members × the largest part that one gives
  /// another for the other collectives; what one rank sends in all for a halo, send_receive or
  /// ring_pass. Of the rank with most.
  Bytes bytes;
  Payload payload = Payload::activation;
  LayerId layer = 0;  ///< whose output (or whose weights, the last of a bucket) is moved
  /// Of a halo: the rank's part of the tensor, which stays where it is. Of a compressed gradient:
  /// the buffer that leaves, where another than `bytes` arrives in. Of a push or pull: what a
  /// server holds more of parts than `bytes`.
  Bytes beside{};
  /// Of a push or pull: members that have a part of `bytes` each.
  std::int64_t servers = 0;
  bool apart = false;  ///< of those: each rank sends when it likes, and no one waits for another
};

/// Whether it stays within a device and its host, and no other rank takes part.
inline bool crosses_host_link(const Transfer& transfer) {
  return transfer.collective == Collective::to_host || transfer.collective == Collective::from_host;
}

/// Whether it moves weights or their gradients, while computing goes on.
inline bool is_of_weights(const Transfer& transfer) {
  return transfer.payload == Payload::weight_gradient || transfer.payload == Payload::weight ||
         transfer.payload == Payload::compressed_gradient;
}

/// What is done to a bucket of gradients that travels compressed: `compress` what a rank has made,
/// `reduce` what all have made of its part, and compress the sum; `restore` the sum of all.
enum class CompressionStep : std::uint8_t { compress, reduce, restore };
inline constexpr std::size_t kCompressionStepCount = 3;
std::string_view name_of(CompressionStep step);

/// One of these steps, on the device that computes.
struct Compression {
  CompressionStep step = CompressionStep::compress;
  LayerId layer = 0;          ///< the last of the bucket
  std::int64_t elements = 0;  ///< of the bucket
  Bytes touched;              ///< read and written
  Bytes held;                 ///< buffers while it is done
  Bytes kept{};               ///< from one step of training to the next: what was not sent
  /// Of which row of plan/exchanges/table.cpp it is, and what it takes and makes: so many inputs of
  /// so many words of 4 bytes each, and its output; so often.
  std::string_view exchange{};
  std::int64_t inputs = 1, input = 0, output = 0;
  double times = 1;
};

/// What an item does.
using Action = std::variant<Work, Transfer, Compression>;

/// No item: what is needed was there when the stage began.
inline constexpr std::uint32_t kNoItem = 0xffffffff;

/// A tensor of a stage, by its place in Stage::tensors.
using TensorId = std::uint32_t;
inline constexpr TensorId kNoTensor = 0xffffffff;

enum class Role : std::uint8_t {
  activation,
  activation_gradient,
  mask,        ///< what forward drew or chose, for backward
  statistics,  ///< of a batch, summed over ranks
  weight_gradient,
  weight,  ///< gathered from shards, while it is used
  scores   ///< those of a loss, or their gradient, in fp32
};

/// What a rank holds of one tensor. Weights and optimizer state, which outlive the step, are not
/// among them (Piece::weights).
struct PlanTensor {
  LayerId layer = 0;  ///< whose output, gradient of whose output, or whose weights' gradient
  Role role = Role::activation;
  Layout layout{};
  Layout target{};         ///< of a change of layout under way, where it ends; else `layout`
  bool on_host = false;    ///< takes no memory of the device
  std::uint8_t halos = 0;  ///< by spatial axis a bit: planes of neighbours lie beside the part
  LayerId reader = 0;      ///< for whose passes the halos are; of gathered weights the last layer
  Bytes bytes{};           ///< of the rank with most, as stored
  std::uint32_t made_by = kNoItem;  ///< the item that writes it
  /// Of what a rank takes of a tensor that it holds, that tensor: no item makes it, but whoever
  /// reads it first copies it.
  TensorId part_of = kNoTensor;
  /// The tensor in whose memory it lies: what works in place, views, a gradient that two have.
  TensorId storage = kNoTensor;
};

/// Consecutive entries of Stage::operands.
struct Operands {
  std::uint32_t first = 0, count = 0;
};

struct Item {
  Action what;
  Phase phase = Phase::forward;
  std::uint32_t first_need = 0;  ///< into Stage::needs
  std::uint32_t need_count = 0;
  /// Of a layer's pass its inputs, what forward kept and the gradient of its output, in the order
  /// that emit.h states.
  Operands reads{};
  /// A gradient exchange writes where it reads, the update where weights lie.
  Operands writes{};
  std::int64_t every = 1;  ///< steps of training, in one of which it is done
  std::int64_t times = 1;  ///< that it is done in such a step
  double per_step() const { return static_cast<double>(times) / static_cast<double>(every); }
};

/// What crosses the link to the host of what a rank updates there: nothing where it does so itself.
struct HostUpdate {
  Bytes gradient;  ///< as it is kept
  Bytes weights;   ///< as they are sent
};

/// The gradient of one layer's weights.
struct Gradient {
  AxisSet axes = 0;  ///< mesh axes over which it is a partial sum
  Bytes bytes;       ///< as it travels
  LayerId layer = 0;
  std::uint32_t ready_after = 0;  ///< the item that makes it
  std::uint32_t operand = 0;      ///< its place in Stage::operands, among those of the same axes
  std::uint32_t summed_after = kNoItem;  ///< the item within backward that sums it, if one does
  HostUpdate on_host{};                  ///< of the rank's part
};

/// What backward leaves to exchange and update.
struct BackwardEnd {
  std::vector<Gradient> gradients;     ///< in the order backward makes them
  std::uint32_t items = 0, needs = 0;  ///< of the stage up to here
  std::uint32_t last_work = kNoItem, last_transfer = kNoItem;
  std::uint32_t last_sum = kNoItem;  ///< of a gradient within backward, beside other transfers
  Operands all{};                    ///< the tensors of all gradients
  int value_bytes = 4;               ///< of a gradient that travels
  /// Gradients of weights of which another stage has a copy: what each sends the other.
  std::vector<Transfer> copies;
  std::vector<Transfer> gathers;  ///< of weights, once their shards are updated

  /// Whether anything is sent once backward is over.
  bool exchanges() const {
    return !copies.empty() || !gathers.empty() ||
           std::any_of(gradients.begin(), gradients.end(),
                       [](const Gradient& gradient) { return gradient.axes != 0; });
  }
  /// A bucket for each gradient, which may be summed in two steps and go to the host, the copies,
  /// the update, what comes from the host, and the gathers.
  std::size_t most_items() const {
    return 3 * gradients.size() + copies.size() + gathers.size() + 2;
  }
};

/// A message of tensor parallelism that goes on while products are computed (beside_products.h).
struct BesideProducts {
  std::uint32_t transfer = 0;           ///< an item of the stage
  std::int64_t pieces = 1;              ///< in which both are made; 1: one needs none of the other
  std::vector<std::uint32_t> products;  ///< items
};

/// No stage: it is like none before it.
inline constexpr std::uint32_t kNoStage = 0xffffffff;

struct Stage {
  LayerId first = 0, last = 0;  ///< layers [first, last)
  /// The stage whose items it has, with other layers (twins.h): it may have none of its own then.
  std::uint32_t like = kNoStage;
  std::vector<Item> items;  ///< forward items, then backward, then exchange and update
  std::uint32_t backward_begin = 0;
  /// Of backward the first item of its second turn (PipelineForm::parts_backward); kNoItem: it is
  /// one.
  std::uint32_t weights_begin = kNoItem;
  BackwardEnd backward_end;
  std::vector<std::uint32_t> needs;  ///< earlier items of this stage that must be complete
  std::vector<BesideProducts> beside_products;
  /// Items that move rows to experts and back, where other turns run meanwhile.
  std::vector<std::uint32_t> expert_messages;
  /// Messages of one micro-batch to the next stage and, in backward, from it; empty for the last
  /// stage.
  std::vector<Transfer> to_next;
  std::vector<Transfer> from_next;

  std::vector<PlanTensor> tensors;
  std::vector<TensorId> operands;  ///< of all items
  /// What the messages to the next stage take and those from it bring, in their order, and the same
  /// of the messages that the stage before lists.
  std::vector<TensorId> sent, returned, received, sent_back;

  std::span<const std::uint32_t> needs_of(const Item& item) const {
    return std::span(needs).subspan(item.first_need, item.need_count);
  }
  std::span<const TensorId> operands_of(const Operands& list) const {
    return std::span(operands).subspan(list.first, list.count);
  }
  std::span<const TensorId> reads_of(const Item& item) const { return operands_of(item.reads); }
  std::span<const TensorId> writes_of(const Item& item) const { return operands_of(item.writes); }
  bool has(LayerId id) const { return id >= first && id < last; }
  bool parts_backward() const { return weights_begin != kNoItem; }
  /// Behind which gradients leave for the stage before, and from which the last turn runs.
  std::uint32_t inputs_end() const { return parts_backward() ? weights_begin : backward_end.items; }
  std::uint32_t last_turn_begin() const {
    return parts_backward() ? weights_begin : backward_begin;
  }
  /// The item that updates its weights; kNoItem: it has none.
  std::uint32_t update_item() const;
};

/// A weight that a layer shares with one of another stage: each of the two has a copy of its own,
/// and their gradients are summed. Narayanan et al., arXiv 2104.04473, section 2.2, for embeddings.
struct WeightCopy {
  LayerId user = 0, owner = 0;
  std::int64_t elements = 0;  ///< that a rank holds
};

struct Plan {
  Strategy strategy;  ///< resolved: grids named, micro-batches counted
  Training training;
  std::vector<std::int64_t> degrees;
  std::vector<Piece> pieces;  ///< one per layer
  std::vector<Stage> stages;
  AxisSet pipeline_axes = 0;
  AxisSet replica_axes = 0;        ///< of what is in shards (Strategy::shard)
  std::int64_t channel_block = 1;  ///< Device::channel_block, in which tensors are stored
  /// By layer: the kernel of the layer that it reads computes its forward as well, so that it has
  /// no item there, and some none in backward (fusion.h). Empty: none is.
  std::vector<bool> fused;
  /// By layer: its output is fp32 where activations have fewer bits (promotion.h). Empty: none is.
  std::vector<bool> wide;

  Assignment assignment;  ///< what the cuts do to each layer
  std::vector<WeightCopy> copies;
  Recomputation recomputation;

  /// Mesh axes along which ranks may share the state of a layer's weights.
  AxisSet axes_of_holders(LayerId id) const;
  /// Those along which it is in shards (Strategy::zero), and the ranks along them.
  AxisSet shard_axes(LayerId id) const {
    return strategy.zero > 0 ? axes_of_holders(id) : AxisSet{0};
  }
  std::int64_t shards(LayerId id) const { return group_size(shard_axes(id)); }
  /// Of so many servers asked for those that serve a part of it each (exchanges/servers.h); 1 where
  /// none is.
  std::int64_t servers(LayerId id, std::int64_t asked) const {
    return asked == 0 ? 1 : std::min(asked, group_size(axes_of_holders(id)));
  }
  /// Asked for by the exchange of gradients; 0: none.
  std::int64_t servers_asked() const;
  /// `elements` of such weights in equal shards, the last ones filled up.
  /// Worked: 10 over 4 ranks are 12                        tests/plan/weight_shards_test.cpp
  std::int64_t in_shards(LayerId id, std::int64_t elements) const;
  /// Of such weights those that a rank updates: its shard, or a server's part (servers()).
  std::int64_t updated_by_rank(LayerId id, std::int64_t asked = 0) const {
    if (pieces[id].frozen) return 0;
    const std::int64_t parts = shards(id) * servers(id, asked);
    return (pieces[id].owned() + parts - 1) / parts;
  }
  bool is_fused(LayerId id) const { return id < fused.size() && fused[id]; }
  bool is_wide(LayerId id) const { return id < wide.size() && wide[id]; }
  /// Whether two layers that are alike are cut and computed alike.
  bool treats_alike(LayerId one, LayerId other) const {
    return assignment.treats_alike(one, other) && is_fused(one) == is_fused(other) &&
           is_wide(one) == is_wide(other) && pieces[one].wide_inputs == pieces[other].wide_inputs;
  }
  std::int64_t ranks() const;
  std::int64_t group_size(AxisSet axes) const;
  /// How its stages lie on ranks, and in which order these run them.
  PipelineForm pipeline() const;
  /// The stage that is emitted, priced and run for stage `s`: itself, or that which it is like.
  std::size_t twin(std::size_t s) const { return stages[s].like == kNoStage ? s : stages[s].like; }
  /// Global samples of one micro-batch, the last ones possibly fewer.
  std::int64_t micro_batch_samples() const;
};

/// Bytes one rank sends for a transfer of buffer S over `n` ranks: all_reduce 2(n−1)/n·S,
/// reduce_scatter, all_gather and all_to_all (n−1)/n·S, halo, send_receive, ring_pass and what goes
/// to the host or comes from it S, butterfly log2(n)·S.
Bytes sent_bytes(Collective collective, Bytes buffer, std::int64_t n);
/// Of the rank that sends most: of a push to s servers S, or (n−1)/n·S where each is one, of a pull
/// a server's (n−1)/s·S.
Bytes sent_bytes(const Transfer& transfer, std::int64_t n);

/// The message in which a layer's output, or the gradient of it, crosses to another stage.
Transfer message_of(const Graph& graph, const Plan& plan, LayerId layer, Payload payload);

/// Whether stages that are like others have items of their own.
enum class Twins : bool { bare, whole };

/// The plan, or the first reason why there is none (memory is judged later, by footprint).
/// `strategy` may hold Cut::spatial and micro_batches = 0; the plan's copy has them resolved.
std::variant<Plan, Infeasible> partition(const Graph& graph, const Strategy& strategy,
                                         const Training& training, const Cluster& cluster,
                                         Twins twins = Twins::whole);

/// The same with all layers in one stage, whatever pipeline the mesh has: what stages are balanced
/// by.
std::variant<Plan, Infeasible> partition_in_one_stage(const Graph& graph, const Strategy& strategy,
                                                      const Training& training,
                                                      const Cluster& cluster);

/// The plan of one micro-batch that has fewer samples than the plan's: the same items, smaller.
Plan of_one_micro_batch(const Graph& graph, const Plan& plan, std::int64_t samples);

}  // namespace oracle
