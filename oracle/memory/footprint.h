#pragma once
// How much device memory does a step need at its worst moment, and for what?
//
// Weights, gradients and optimizer state live all the time, whole or the rank's shard of them
// (Strategy::zero); what is gathered of shards lives while it is used. Activations live from the
// forward pass that makes them until the last backward pass that needs them (only those that some
// backward needs are kept), times the micro-batches in flight: all of them under GPipe, at most
// (stages − stage) under 1F1B; a rank with several stages holds what its order comes to
// (plan/pipeline_order.h). Between two turns of a backward what the second one reads waits for it.
// What lies on the host (plan/offload.h) takes none of it. Activation gradients live from a
// consumer's backward to the layer's own.
// A transfer holds what it packs, a kernel its workspace, and one bucket of gradients is held from
// when the last of them is made; which of these meet is what liveness.h walks through.
//
// Worked: one dense layer 4096→4096, batch 32, fp32, SGD: weights 67.1 MB + as many gradients; kept
// input 0.52 MB. tests/memory/footprint_test.cpp

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "oracle/base/units.h"
#include "oracle/cluster/cluster.h"
#include "oracle/memory/liveness.h"
#include "oracle/plan/plan.h"

namespace oracle {

enum class MemoryUse : std::uint8_t {
  weights,
  casts,      ///< of fp32 weights to 16 bits, for a step's kernels
  gradients,  ///< of weights, as they are added up: main gradients
  buckets,    ///< what a framework copies them into to exchange them
  optimizer,  ///< master copy and moments
  activations,
  activation_gradients,
  scores,  ///< of a loss, in fp32
  communication,
  workspace,
  gathered,   ///< weights of units that are whole while they are used
  residuals,  ///< of gradients that travel compressed: what was not sent yet
  context     ///< of driver and libraries, which the allocator never sees
};
inline constexpr std::size_t kMemoryUseCount = 13;
std::string_view name_of(MemoryUse use);

/// A memory, and what a rank needs of it.
struct Room {
  Bytes needed, available;
  bool is_host = false;
};

/// Bytes per category at the moment the sum peaks.
struct Footprint {
  std::array<Bytes, kMemoryUseCount> bytes{};
  std::size_t stage = 0;   ///< the stage that needs most
  LayerId peak_layer = 0;  ///< where in that stage the peak lies
  Pass peak_pass = Pass::forward;
  Bytes available;  ///< of one rank
  /// What a rank has in the memory of its host (Strategy::offload), beside all this, and its part
  /// of that.
  Bytes on_host, host_available;

  /// What the framework's allocator takes from the device for what is allocated, at least and at
  /// most (Framework::least_reserve); equal to that where nothing is known of it.
  Bytes least_reserved, most_reserved;

  /// What must be free: all of it, and the least that the allocator holds besides.
  Bytes needed() const { return total() + (least_reserved - allocated()); }
  /// Of what the allocator holds the middle of its least and most.
  Bytes shown(MemoryShown by) const;
  /// Of the device's memory and the host's, that which is scarcer.
  Room scarcer() const;
  bool fits() const { return scarcer().needed <= scarcer().available; }
  Bytes of(MemoryUse use) const { return bytes[static_cast<std::size_t>(use)]; }
  Bytes total() const;
  /// What a framework counts as allocated: all but the context.
  Bytes allocated() const { return total() - of(MemoryUse::context); }
  /// What the allocator can have of the device.
  Bytes room() const { return available - of(MemoryUse::context); }
  /// The use that takes most; of equals the first.
  MemoryUse largest() const;
};

/// What is kept for the backward of micro-batches under way.
struct Kept {
  Bytes activations;
  Bytes scores{};     ///< of a loss
  Bytes gradients{};  ///< of activations, for a second turn of backward
  Bytes on_host{};    ///< what was offloaded of them

  Bytes total() const { return activations + scores + gradients; }
  Kept plus(const Kept& other, double times) const {
    return {activations + other.activations * times, scores + other.scores * times,
            gradients + other.gradients * times, on_host + other.on_host * times};
  }
};

/// What is kept beside the micro-batch under way: beside its forward and backward at most, beside a
/// second turn of its backward, and beside the stage's last turn.
struct KeptBeside {
  Kept most, at_weights, at_last;
};

/// What a stage needs in any order of its micro-batches and with buckets of any size.
struct StageNeed {
  Footprint one;           ///< with the activations of one micro-batch and no bucket;
                           ///< on the host what outlives it
  Kept kept;               ///< per micro-batch in flight beyond the first
  LivePoint weights_peak;  ///< of a second turn of backward, for which
  Kept waiting;            ///< a micro-batch keeps so much
  std::vector<LivePoint> after_gradient;  ///< see Liveness

  /// `stage`: with its buckets.
  Footprint with(const KeptBeside& others, const Stage& stage) const;
};

/// What outlives a micro-batch of a layer: weights, gradients and optimizer state, with as much in
/// shards as Strategy::zero says.
Bytes state_bytes(const Graph& graph, const Plan& plan, LayerId id, int zero);

/// What backward of each layer reads of forward's, of one micro-batch: each tensor counts once, for
/// a layer that reads it, which keeps it wherever stages begin.
std::vector<Bytes> kept_by_layer(const Graph& graph, const Plan& plan, std::size_t stage);

StageNeed stage_need(const Graph& graph, const Plan& plan, std::size_t stage,
                     const Cluster& cluster);

/// What every stage of the plan needs; of stages that are alike it is found once.
std::vector<StageNeed> stage_needs(const Graph& graph, const Plan& plan, const Cluster& cluster);

/// The footprint of a rank of the pipeline, in the order and with the buckets of the plan. `needs`:
/// of every stage.
Footprint footprint_of(std::span<const StageNeed> needs, const Plan& plan, std::size_t rank);

/// The footprint of the rank that needs most.
Footprint worst_footprint(std::span<const StageNeed> needs, const Plan& plan);

/// The same, from the plan alone.
Footprint footprint(const Graph& graph, const Plan& plan, const Cluster& cluster);

/// Transient bytes (activations and activation gradients) after each item of one micro-batch's
/// forward and backward, in the order run: the memory counter of a trace. Ends at 0.
std::vector<Bytes> transient_bytes(const Graph& graph, const Plan& plan, std::size_t stage);

}  // namespace oracle
