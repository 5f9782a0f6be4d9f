#pragma once
// What does one rank do, operand by operand, for one micro-batch of a plan?
//
// A plan's stage is symbolic: its items name layers, passes and groups. A program is the same list
// bound to one rank and one micro-batch size: every tensor has a slot, every exchange the boxes it
// packs and unpacks, every layer its kernel. Of a pipeline in chunks a rank has several stages, one
// behind the other. It holds no memory and no kernels; the executor makes them.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "microbench/kernels/kernel.h"
#include "oracle/plan/plan.h"
#include "validate/program/region.h"

namespace oracle {

using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = 0xffffffff;
inline constexpr std::uint32_t kNoPlanItem = 0xffffffff;

/// A tensor of one micro-batch on this rank.
struct SlotSpec {
  LayerId layer = 0;  ///< whose output or output gradient it is
  bool gradient = false;
  Region region;
  bool fp32 = false;  ///< whatever other tensors are: targets, losses, numbers of rows
};

/// Fills a slot from the data set.
struct Load {
  Slot to = kNoSlot;
  bool targets = false;
  bool further = false;  ///< a second text of the samples, and not the network's input
};

/// The boxes of a tensor that go to, or come from, one rank.
struct Share {
  int rank = 0;
  std::vector<Box> boxes;
  std::int64_t elements = 0;
};

/// Takes one region of a tensor to another: from what this rank has itself, and from what others
/// send. Collectives work on equal parts, padded to the largest; messages on what they are.
struct Move {
  Collective collective = Collective::all_reduce;
  AxisSet axes = 0;  ///< of the collective's group; 0: messages, or nothing is sent
  Slot from = kNoSlot, to = kNoSlot;
  std::vector<Share> give, take;  ///< by member in group order; messages only where not empty
  std::int64_t part = 0;          ///< elements of one part of a collective
  std::vector<Box> keep_from, keep_to;
  bool clear = false;       ///< what no one fills is zero
  bool accumulate = false;  ///< what others send is added to what is kept
};

/// Statistics that a pass needs from all ranks first.
struct StatisticsSum {
  AxisSet axes = 0;
  bool largest = false;  ///< rather than the sum
  double count = 0;      ///< values per channel over all ranks
  std::uint32_t item = kNoPlanItem;
};

/// The result `to` is made in the memory of the operand `from`, which nothing reads again.
struct Reuse {
  Slot from = kNoSlot, to = kNoSlot;
};

/// Two input gradients that are one tensor, `made` by the layer, until one of them dies
/// (plan/lifetimes.h).
struct Sharing {
  Slot made = kNoSlot, same = kNoSlot;
};

inline constexpr std::uint32_t kNoGather = 0xffffffff;

/// Makes the weights of some layers whole, from the shards of the ranks along `axes`.
struct WeightGather {
  AxisSet axes = 0;
  std::vector<LayerId> layers;
  std::uint32_t item = kNoPlanItem;
};

/// Makes weights whole until an operation releases them.
struct Gather {
  std::uint32_t gather = kNoGather;  ///< into Program::gathers
};

/// Sums the gradients of some layers into the shards of the ranks along `axes`.
struct GradientScatter {
  AxisSet axes = 0;
  std::vector<LayerId> layers;
  bool is_all = true;  ///< else a ShardSum follows
};

/// Sums what a scatter made over the ranks along `axes`, which have copies of the same shards.
struct ShardSum {
  AxisSet axes = 0;
  std::vector<LayerId> layers;
};

/// Weights of some layers that ranks average, behind the update of one in so many steps.
struct WeightAverage {
  AxisSet axes = 0;
  std::vector<LayerId> layers;
  std::int64_t elements = 0;  ///< as the plan counts them, the largest rank's
  std::int64_t every = 1;
  std::uint32_t item = kNoPlanItem;
};

struct LayerRun {
  LayerId layer = 0;
  Pass pass = Pass::forward;
  std::uint32_t kernel = 0;  ///< into Program::kernels
  std::vector<Slot> inputs;
  Slot output = kNoSlot;
  Slot output_gradient = kNoSlot;
  std::vector<Slot> input_gradients;
  std::vector<StatisticsSum> statistics;  ///< one after the other
  Reuse in_place{};                       ///< where the layer works in place and may
  /// Of a step of attention that reads some of the keys: their positions, and what it adds to,
  /// which lies where it leaves its own (`in_place`).
  std::vector<std::int64_t> keys{};
  Slot adds_to = kNoSlot;
  Sharing shared{};
  std::uint32_t gather = kNoGather;  ///< whose weights it reads
};

/// sum += term
struct GradientSum {
  Slot sum = kNoSlot, term = kNoSlot;
};

struct Operation {
  std::variant<Load, Move, LayerRun, GradientSum, Gather, GradientScatter, ShardSum> what;
  std::uint32_t item = kNoPlanItem;       ///< whose time this is, see Program::items
  std::vector<Slot> dies;                 ///< not read again
  std::vector<std::uint32_t> releases{};  ///< gathers whose weights nothing reads again

  bool ends(Slot slot) const { return std::find(dies.begin(), dies.end(), slot) != dies.end(); }
};

/// A layer as this rank's kernels run it. Its padding joins the regions of its tensors.
struct KernelSpec {
  LocalLayer layer;    ///< `place` within the micro-batch
  bool drops = false;  ///< draws random numbers by place, so that each micro-batch has its own
};

/// A rank's part of one parameter, seen as matrices of rows × columns × inner, each cut
/// contiguously. Of a convolution the rows are filters, the columns channels of a group
/// (transposed: the other way round), the inner the window; of any other parameter the rows are
/// features, or one of all that is not cut by them. Of experts each has a matrix.
struct ParameterSlice {
  std::int64_t whole_rows = 1, whole_columns = 1, inner = 1;
  Interval rows, columns;
  Interval matrices{0, 1};
  std::int64_t elements() const { return matrices.size() * rows.size() * columns.size() * inner; }
  /// The element's number in the whole parameter.
  std::int64_t global_index(std::int64_t local) const;
};

struct TrainedLayer {
  LayerId layer = 0;
  std::uint32_t kernel = 0;  ///< that its weights are made for
  std::vector<ParameterSlice> parameters;
};

/// What is done to a bucket that travels in more than one step.
struct ExchangeStep {
  std::uint32_t item = kNoPlanItem;
  std::variant<CompressionStep, Collective> what;
};

/// Weight gradients that are summed together.
struct GradientBucket {
  AxisSet axes = 0;
  std::vector<LayerId> layers;
  std::int64_t elements = 0;  ///< as the plan counts them, the largest rank's
  std::uint32_t item = kNoPlanItem;
  std::uint32_t ready_after = kNoPlanItem;  ///< item of backward; none: when backward is over
  AxisSet replica_axes = 0;                 ///< over which its shards are then summed
  std::uint32_t replica_item = kNoPlanItem;
  std::vector<ExchangeStep> steps{};      ///< one after the other, the first one `item`; or none
  std::int64_t servers = 0;               ///< that update a part of its weights each; 0: none
  std::uint32_t pull_item = kNoPlanItem;  ///< by which others fetch these
};

/// What a rank does for a micro-batch of one of its stages.
struct StageProgram {
  std::size_t stage = 0;         ///< of the plan
  std::uint32_t first_item = 0;  ///< of the stage, among what is measured
  std::vector<Operation> forward, backward;
  std::vector<Operation> weights{};  ///< a second turn of backward
};

/// Weights that one item updates.
struct WeightUpdate {
  LayerSpan layers;
  std::uint32_t item = kNoPlanItem;
};

struct Program {
  int rank = 0;
  std::int64_t samples = 0;  ///< of the micro-batch
  /// What is measured: of each stage in turn its items, then its messages to the next stage and to
  /// the one before.
  std::size_t items = 0;
  std::vector<SlotSpec> slots;
  std::vector<KernelSpec> kernels;
  std::vector<StageProgram> stages;  ///< by chunk
  std::vector<TrainedLayer> trained;
  std::vector<GradientBucket> buckets;
  std::vector<WeightGather> gathers;          ///< of forward and backward
  std::vector<WeightGather> updated_gathers;  ///< once shards are updated
  std::vector<WeightUpdate> updates;
  std::vector<WeightAverage> averages;  ///< behind the updates
  LayerId loss = 0;                     ///< of the last stage; 0 elsewhere
  /// This rank's losses count; other ranks repeat them.
  bool reports_loss = false;
  /// Layers as run here that differ from the network's (a bias that another rank adds).
  std::vector<std::unique_ptr<Layer>> own_layers;
};

}  // namespace oracle
