#pragma once
// When are weights gathered and gradients scattered that ranks keep in shards?
//
//   zero=1   gradients are scattered in buckets after backward (exchange.h), weights gathered once
//            after the update
//   zero=2   gradients of a unit are scattered as soon as backward has left it, in each micro-batch
//   zero=3   and its weights are gathered for forward, and again for backward: while the unit that
//            comes before it computes, so that two units are whole at a time
//
// reshard=off keeps what was gathered for forward until backward has read it. sync=step leaves
// gradients whole until the last micro-batch, as zero=1 does; sync=micro_batch sums them in each,
// into shards where there are any.
//
// A unit is a block (graph/blocks.h), or what stands between two. Shards are even over the ranks
// that would sum the gradient, or over those of them that share a copy (shard=N, HSDP: shards are
// then summed over the copies), layer by layer, the last one filled up. Rajbhandari et al., "ZeRO",
// arXiv 1910.02054; Zhao et al., "PyTorch FSDP", arXiv 2304.11277, for units and order.
//
// Worked: one unit of P weights over D ranks, m micro-batches, zero=3: a rank sends m·(D-1)/D·P
// twice and m·(D-1)/D times its gradients               tests/plan/weight_shards_test.cpp

#include <vector>

#include "oracle/plan/stage_writer.h"

namespace oracle {

/// The layer that owns a weight which `id` shares; `id` where it shares none. It may have others of
/// its own.
LayerId owner_of_shared(const Graph& graph, LayerId id);

/// Layers of `span` whose weights are in shards over `axes`; those alone that bring elements of
/// which no layer before them is.
std::vector<LayerId> layers_in_shards(const Graph& graph, const Plan& plan, const LayerSpan& span,
                                      AxisSet axes);

/// Writes what the option asks for; nothing where it asks for none.
class WeightShards {
 public:
  WeightShards(const Graph& graph, const Plan& plan, StageWriter& writer)
      : graph_(graph), plan_(plan), writer_(writer), whole_(graph.size(), kNoTensor) {}

  /// Finds the units of layers [first, last).
  void start(LayerId first, LayerId last);
  const std::vector<LayerSpan>& units() const { return units_; }

  /// Gathers the weights of unit `u`, once the one before it begins to compute; nothing where there
  /// is no such unit.
  void gather(std::size_t u, Phase phase);
  /// Sums the gradients of a unit, into shards where there are any, so that no bucket has them;
  /// nothing where they are summed once a step.
  void sum_gradients(std::size_t u);
  /// What is gathered once the shards are updated.
  void list_gathers(BackwardEnd& end) const;

  /// The layer's weights as they were gathered last; kNoTensor where they lie whole.
  TensorId weights_of(LayerId id) const { return whole_[id]; }

 private:
  template <typename Visit>
  void for_each_group(const LayerSpan& unit, double WeightBytes::*each, Visit visit) const;
  AxisSet axes_of(LayerId id) const;
  void sum_gradients(const LayerSpan& unit, AxisSet axes);
  bool sums_twice(LayerId id, AxisSet axes) const;
  void sum(const Transfer& transfer);

  const Graph& graph_;
  const Plan& plan_;
  StageWriter& writer_;
  std::vector<LayerSpan> units_;
  std::vector<TensorId> whole_;           ///< by layer
  std::vector<TensorId> reads_, writes_;  ///< of the item being written
};

}  // namespace oracle
