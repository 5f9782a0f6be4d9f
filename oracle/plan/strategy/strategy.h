#pragma once
// How is the network cut over the ranks?
//
// A mesh has axes, outermost first; the last numbers neighbouring ranks. Over each axis every layer
// has one cut. `rules` give layer ranges cuts of their own; layers that no rule names use the axes'
// own, but where there are rules, those that contract nothing (pooling, activations, …) follow what
// reaches them.
//
//   data:16,filter:4                    64 ranks: 16 groups of samples × 4 groups of filters
//   conv*=data:32; fc*=filter:32        one axis of 32, cut by sample or by filter
//   data:8,pipeline:4; micro_batches=16; schedule=gpipe
//                                                                        tests/plan/strategy/strategy_text_test.cpp

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/cluster/placement.h"
#include "oracle/plan/strategy/expert_load.h"

namespace oracle {

/// Ways to cut. `none` leaves a layer whole (each rank repeats the work); `alternate` is filter and
/// channel in turn, so that a pair of contractions needs one all-reduce; `alternate_sequence` is
/// the same, and between the pairs each rank has its part of the positions, and `alternate_expert`
/// that with whole experts on each rank; `context` cuts the
/// positions of a text, and so do `ring`, where attention hands keys and values round, and
/// `ulysses`, which cuts attention by heads; `expert` is sample, but
/// experts lie apart and rows of tokens go to theirs; `pipeline` gives ranks along the axis
/// different layers; `spatial` is resolved to a grid over depth, height and width once the network
/// is known; `follow` keeps whatever layout reaches the layer, where its kind allows.
enum class Cut : std::uint8_t {
  none,
  sample,
  depth,
  height,
  width,
  context,
  ring,
  ulysses,
  filter,
  channel,
  alternate,
  alternate_sequence,
  alternate_expert,
  expert,
  follow,
  pipeline,
  spatial
};
inline constexpr std::size_t kCutCount = 17;

/// Of those, the ways to cut the positions of a text everywhere.
inline bool is_of_positions(Cut cut) {
  return cut == Cut::context || cut == Cut::ring || cut == Cut::ulysses;
}

struct MeshAxis {
  std::int64_t degree = 1;
  Cut cut = Cut::follow;  ///< for layers that no rule names
  bool operator==(const MeshAxis&) const = default;
};

/// Cuts for the layers whose name matches `pattern` ('*' matches any run of characters, '|'
/// separates alternatives), one per mesh axis. The first rule that matches counts.
struct LayerRule {
  std::string pattern;
  std::vector<Cut> cuts;
  bool operator==(const LayerRule&) const = default;
};

enum class PipelineSchedule : std::uint8_t { one_f_one_b, gpipe, zb_h1, zb_h2 };
inline constexpr std::size_t kPipelineScheduleCount = 4;

/// Whether gradients of weights are made in turns of their own (plan/pipeline_order.h).
inline bool parts_backward(PipelineSchedule schedule) {
  return schedule == PipelineSchedule::zb_h1 || schedule == PipelineSchedule::zb_h2;
}

/// Over which axes batch norm shares its statistics. `per_replica`: over those that cut positions,
/// so that a replica's samples are normalized together; `synchronized`: over samples too (equal to
/// the serial run); `local`: over none (what ParaDL ran; equals no serial run once positions are
/// cut).
enum class BatchNormMode : std::uint8_t { per_replica, synchronized, local };

/// How often ranks sum gradients: once a step (no_sync of DDP and FSDP until the last micro-batch)
/// or in each micro-batch; `automatic`: in each where gradients are sharded (zero 2 and 3).
enum class GradientSync : std::uint8_t { automatic, step, micro_batch };
inline constexpr std::size_t kGradientSyncCount = 3;

/// As many groups of experts as a token's experts are in.
inline constexpr std::int64_t kAllTokenGroups = 1'000'000'000;

inline constexpr std::int64_t kSynchronous = -1;
/// As many steps as it likes.
inline constexpr std::int64_t kAnyStaleness = 1'000'000'000;

/// What is kept in the memory of the device's host (plan/offload.h).
struct Offload {
  bool optimizer = false;    ///< state and master copy, which are updated there
  bool activations = false;  ///< what forward keeps for backward
  std::int64_t blocks = 0;   ///< the first of a stage that do so; 0: all
  bool operator==(const Offload&) const = default;
};

struct Strategy {
  std::vector<MeshAxis> mesh;
  std::vector<LayerRule> rules;
  std::int64_t micro_batches = 0;  ///< 0: chosen by resolve()
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  /// Stages of each rank of a pipeline, which are apart in the network (plan/pipeline_order.h).
  std::int64_t chunks = 1;
  /// Of gradients: an all-reduce, "auto" or a row of cost/collectives; or a row of plan/exchanges.
  std::string exchange = "auto";
  /// Of servers that do not wait: steps that a rank may be ahead of the slowest; kSynchronous: they
  /// wait for all.
  std::int64_t staleness = kSynchronous;
  Bytes bucket{25.0 * 1024 * 1024};  ///< gradients are exchanged in buckets of at least this size
  bool overlap = true;               ///< exchange gradients while backward goes on
  BatchNormMode batch_norm = BatchNormMode::per_replica;
  /// What ranks that hold the same weights keep in shards (Rajbhandari et al., arXiv 1910.02054):
  /// 1 the optimizer's state and the master copy, 2 gradients too, 3 weights too; 0 nothing.
  int zero = 0;
  /// Of data-parallel ranks so many neighbours have one copy of that state, in shards, and the
  /// others further copies: hybrid sharding (HSDP; hpZ and MiCS are kin). 0: all have one.
  std::int64_t shard = 0;
  GradientSync sync = GradientSync::automatic;
  /// Data-parallel ranks, the last of a step, whose gradients are not waited for (back-up workers:
  /// Chen et al., arXiv 1604.00981).
  std::int64_t backup = 0;
  /// Weights that were gathered for forward are given up after it, and gathered again for backward
  /// (reshard_after_forward of FSDP).
  bool reshard = true;
  /// What backward computes again (plan/recompute.h): "full", "selective", a pattern; empty:
  /// nothing.
  std::string recompute{};
  /// Inputs that forward gathered for a layer are not kept for its backward, but gathered again.
  bool regather = false;
  /// A token goes once to each group of experts along the outermost axis of `expert`, to so many
  /// groups at most (plan/token_groups.h). 0: a row for each of its experts goes.
  std::int64_t token_groups = 0;
  ExpertLoad expert_load{};  ///< how unequal the rows are that experts get
  /// First layers of the pipeline's stages but the first, by name or pattern; empty: balanced by
  /// their prices (evaluate/balance.h).
  std::vector<std::string> stages{};
  Offload offload{};
  /// Messages of tensor parallelism go on beside products (plan/beside_products.h).
  bool tensor_overlap = false;
  /// Messages of experts go on while another micro-batch is computed the other way
  /// (pipeline_order.h).
  bool expert_overlap = false;
  bool fusion = true;  ///< kernels compute in one pass what the device's can (plan/fusion.h)

  bool operator==(const Strategy&) const = default;
  std::int64_t ranks() const;
  std::vector<std::int64_t> degrees() const;
  bool has(Cut cut) const;           ///< for the layers that no rule names
  bool has_anywhere(Cut cut) const;  ///< for any layers
  /// Whether the mesh axis has that cut for any layers.
  bool has_along(std::size_t axis, Cut cut) const;
  /// Along which tensor parallelism leaves each rank part of the positions between its pairs.
  AxisSet tensor_sequence_axes() const;
  /// Parts that samples are in: along axes that shard samples or experts, for any layers.
  /// Worked: data:4,expert:2,tensor:8 has 8 tests/plan/strategy/strategy_text_test.cpp
  std::int64_t replicas() const;
  bool waits_for_all() const { return staleness == kSynchronous; }
  bool sums_each_micro_batch() const { return sums_each_micro_batch(zero); }
  /// Whether a rank keeps its shard alone of the gradients that it adds up.
  bool shards_gradients() const { return shards_gradients(zero); }
  // With another value of `zero`.
  bool sums_each_micro_batch(int level) const;
  bool shards_gradients(int level) const { return level > 0 && sums_each_micro_batch(level); }
};

/// Reads the notation above. Axis names: data, spatial (4 or a grid 2x2, 2x2x2), depth, height,
/// width, context, ring, ulysses, filter, channel, tensor (alternate), tensor_sequence, expert,
/// pipeline, and dp, cp, tp, ep, pp for five of them; `serial` alone is one rank. After ';' the
/// options of plan/strategy/strategy_options.h. Throws InputError (place "--strategy").
Strategy parse_strategy(std::string_view text);

/// The way to cut of an axis name, as parse_strategy reads it: "data", "tp". Throws InputError with
/// a suggestion.
Cut axis_named(std::string_view name);

/// The shortest text that parse_strategy reads back to an equal value; a single micro-batch without
/// a pipeline goes without saying.
std::string to_text(const Strategy& strategy);

}  // namespace oracle
