#include "oracle/plan/weight_shards.h"

#include <algorithm>

#include "oracle/plan/item_list.h"

namespace oracle {
namespace {

AxisSet shard_axes(const Plan& plan, LayerId id) {
  return plan.pieces[id].weights == 0 ? AxisSet{0} : plan.shard_axes(id);
}

/// Elements of the weights of a layer of `span`, filled up, but for what an earlier one uses.
std::int64_t first_used(const Graph& graph, const Plan& plan, const LayerSpan& span, LayerId id) {
  const Piece& piece = plan.pieces[id];
  const std::int64_t own = plan.in_shards(id, piece.owned());
  if (piece.shared == 0) return own;
  const LayerId owner = owner_of_shared(graph, id);
  for (LayerId other = span.first; other < id; ++other) {
    if (owner_of_shared(graph, other) == owner) return own;
  }
  return own + plan.in_shards(id, piece.shared);
}

}  // namespace

LayerId owner_of_shared(const Graph& graph, LayerId id) {
  const std::vector<Weight>& weights = graph[id].weights;
  const auto shared = std::find_if(weights.begin(), weights.end(),
                                   [](const Weight& weight) { return weight.owner != 0; });
  return shared == weights.end() ? id : shared->owner;
}

std::vector<LayerId> layers_in_shards(const Graph& graph, const Plan& plan, const LayerSpan& span,
                                      AxisSet axes) {
  std::vector<LayerId> layers;
  for (LayerId id = span.first; id <= span.last; ++id) {
    if (shard_axes(plan, id) == axes && first_used(graph, plan, span, id) > 0) layers.push_back(id);
  }
  return layers;
}

void WeightShards::start(LayerId first, LayerId last) {
  units_.clear();
  const bool one = plan_.strategy.zero < 3 && !plan_.strategy.sums_each_micro_batch();
  for (LayerId id = first; id < last; ++id) {
    const bool begins = units_.empty() || (!one && graph_.block(id) != graph_.block(id - 1));
    if (begins) units_.push_back({id, id});
    units_.back().last = id;
  }
}

AxisSet WeightShards::axes_of(LayerId id) const { return shard_axes(plan_, id); }

/// Calls visit(axes, bytes) for the weights of a unit that are in shards over the same axes, each
/// of so many bytes.
template <typename Visit>
void WeightShards::for_each_group(const LayerSpan& unit, double WeightBytes::*each,
                                  Visit visit) const {
  std::vector<AxisSet> done;
  for (LayerId id = unit.first; id <= unit.last; ++id) {
    const AxisSet axes = axes_of(id);
    if (axes == 0 || std::find(done.begin(), done.end(), axes) != done.end()) continue;
    done.push_back(axes);
    Bytes bytes;
    for (const LayerId layer : layers_in_shards(graph_, plan_, unit, axes)) {
      const WeightBytes of = WeightBytes::of(graph_[layer], plan_.training.precision);
      bytes += Bytes{static_cast<double>(first_used(graph_, plan_, unit, layer)) * (of.*each)};
    }
    if (bytes.value > 0) visit(axes, bytes);
  }
}

void WeightShards::gather(std::size_t u, Phase phase) {
  if (plan_.strategy.zero < 3 || u >= units_.size()) return;
  if (phase == Phase::backward && !plan_.strategy.reshard) return;
  const LayerSpan& unit = units_[u];
  const std::uint32_t begun = writer_.last<Work>();
  for_each_group(unit, &WeightBytes::used, [&](AxisSet axes, Bytes bytes) {
    const TensorId shard = writer_.add_tensor({unit.first, Role::weight});
    const TensorId made = writer_.add_tensor({unit.first, Role::weight});
    writer_.tensor(made).bytes = bytes;
    writer_.tensor(made).reader = unit.last;
    writer_.move({Collective::all_gather, axes, bytes, Payload::weight, unit.first}, phase, shard,
                 made);
    add_need(writer_.stage(), begun);
    for (LayerId id = unit.first; id <= unit.last; ++id) {
      if (axes_of(id) == axes) whole_[id] = made;
    }
  });
}

void WeightShards::sum_gradients(std::size_t u) {
  if (!plan_.strategy.sums_each_micro_batch()) return;
  const LayerSpan& unit = units_[u];
  for (const Gradient& gradient : writer_.stage().backward_end.gradients) {
    const bool is_here = gradient.layer >= unit.first && gradient.layer <= unit.last;
    if (is_here && gradient.axes != 0) sum_gradients(unit, gradient.axes);
  }
}

/// Whether shards of a gradient are summed over replicas as well.
bool WeightShards::sums_twice(LayerId id, AxisSet axes) const {
  const AxisSet shards = plan_.shard_axes(id);
  return shards != 0 && (axes & ~shards) != 0;
}

/// Into shards, and those over replicas; where nothing is sharded, the sums lie where gradients do.
void WeightShards::sum_gradients(const LayerSpan& unit, AxisSet axes) {
  reads_.clear();
  Bytes bytes;
  LayerId first = unit.last;
  for (Gradient& gradient : writer_.stage().backward_end.gradients) {
    const bool is_here = gradient.layer >= unit.first && gradient.layer <= unit.last;
    if (gradient.axes != axes || !is_here) continue;
    reads_.push_back(gradient.operand);
    bytes += gradient.bytes;
    first = gradient.layer;
    gradient.axes = 0;
    gradient.summed_after = writer_.next_item() + (sums_twice(gradient.layer, axes) ? 1 : 0);
  }
  const AxisSet shards = plan_.shard_axes(first), rest = axes & ~shards;
  if (shards != 0) {
    sum({Collective::reduce_scatter, shards, bytes, Payload::weight_gradient, unit.first});
    bytes = bytes / static_cast<double>(plan_.group_size(shards));
  }
  if (rest != 0) sum({Collective::all_reduce, rest, bytes, Payload::weight_gradient, unit.first});
}

/// Of `reads_`, which becomes the sums: a shard, or as many as there were.
void WeightShards::sum(const Transfer& transfer) {
  writes_.clear();
  const bool scatters = transfer.collective == Collective::reduce_scatter;
  if (scatters) writes_.push_back(writer_.add_tensor({transfer.layer, Role::weight_gradient}));
  for (std::size_t i = 0; i < reads_.size() && !scatters; ++i) {
    const PlanTensor own = writer_.tensor(reads_[i]);
    writes_.push_back(writer_.add_tensor(own));
    writer_.tensor(writes_.back()).storage = own.storage;
    for (Gradient& gradient : writer_.stage().backward_end.gradients) {
      if (gradient.operand == reads_[i]) gradient.operand = writes_.back();
    }
  }
  writer_.add_item(transfer, Phase::backward, reads_, writes_);
  reads_ = writes_;
}

void WeightShards::list_gathers(BackwardEnd& end) const {
  const int zero = plan_.strategy.zero;
  if (units_.empty() || zero < 1 || zero > 2) return;
  const LayerSpan all{units_.front().first, units_.back().last};
  for_each_group(all, &WeightBytes::sent, [&](AxisSet axes, Bytes bytes) {
    end.gathers.push_back({Collective::all_gather, axes, bytes, Payload::weight, all.last});
  });
}

}  // namespace oracle
