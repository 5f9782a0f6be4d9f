#include <algorithm>
#include <optional>

#include "oracle/base/error.h"
#include "oracle/plan/assignment.h"
#include "oracle/plan/cuts/cut.h"
#include "oracle/plan/emit.h"
#include "oracle/plan/exchanges/averaging.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "oracle/plan/exchanges/refused_exchange.h"
#include "oracle/plan/fusion.h"
#include "oracle/plan/plan.h"
#include "oracle/plan/promotion.h"
#include "oracle/plan/stages.h"
#include "oracle/plan/strategy/resolve.h"

namespace oracle {
namespace {

using Refusal = std::optional<Infeasible>;

Refusal check_machine(const Strategy& strategy, const Training& training, const Cluster& cluster) {
  if (strategy.ranks() > cluster.ranks()) {
    return Infeasible{Constraint::ranks,
                      "cluster " + cluster.id,
                      static_cast<double>(strategy.ranks()),
                      static_cast<double>(cluster.ranks()),
                      "ranks",
                      "use at most " + std::to_string(cluster.ranks()) + " ranks"};
  }
  for (const DataType type : {training.precision.compute, wide_of(training.precision.compute)}) {
    if (cluster.device.peak_of(type).value > 0) continue;
    return Infeasible{Constraint::number_format,
                      "device " + cluster.device.id,
                      1,
                      0,
                      std::string(name_of(type)) + " units",
                      "train in fp32, or on a device that computes in that format"};
  }
  return std::nullopt;
}

/// A processor's memory is that of the host, and what waits for a second turn of backward is on the
/// device.
Refusal check_host(const Strategy& strategy, const Cluster& cluster) {
  const auto refusal = [](std::string subject, std::string remedy) {
    return Infeasible{Constraint::host, std::move(subject), 0, 0, {}, std::move(remedy)};
  };
  if (strategy.offload != Offload{} && cluster.device.device_class == DeviceClass::cpu) {
    return refusal("offload= on " + cluster.device.id + ", which is its own host",
                   "leave out offload=");
  }
  const bool in_two_turns = strategy.has(Cut::pipeline) && parts_backward(strategy.schedule);
  if (strategy.offload.activations && in_two_turns) {
    return refusal(
        "offload=activations brings back what one turn of backward reads, and zb_h1 and "
        "zb_h2 have two",
        "write schedule=1f1b, or leave out offload=activations");
  }
  return std::nullopt;
}

/// An axis that shards nothing would only repeat all work.
Refusal check_axes(const Graph& graph, const Strategy& strategy) {
  for (std::size_t a = 0; a < strategy.mesh.size(); ++a) {
    std::vector<Cut> cuts = {strategy.mesh[a].cut};
    for (const LayerRule& rule : strategy.rules) cuts.push_back(rule.cuts[a]);
    for (const Cut cut : cuts) {
      if (finds_parts(graph, cut)) continue;
      const std::string name(row_of(cut).axis_name);
      return Infeasible{Constraint::extent,
                        "network " + graph.name,
                        static_cast<double>(strategy.mesh[a].degree),
                        1,
                        "positions of " + name,
                        "leave the axis out: no layer has a " + name + " to shard"};
    }
  }
  return std::nullopt;
}

/// Keys and values go round one axis.
void check_rings(const Strategy& strategy) {
  const auto rings = std::count_if(strategy.mesh.begin(), strategy.mesh.end(),
                                   [](const MeshAxis& axis) { return axis.cut == Cut::ring; });
  if (rings > 1) {
    throw InputError("--strategy", "ring stands on two axes", "give it one axis");
  }
}

/// Of state that is sharded at all so many ranks have one copy.
Refusal check_shards(const Strategy& strategy) {
  if (strategy.shard == 0) return std::nullopt;
  const std::string shard = "shard=" + std::to_string(strategy.shard);
  if (strategy.zero == 0) {
    throw InputError("--strategy", shard + " says how many ranks share state, and none is shared",
                     "add zero=1, 2 or 3, or leave " + shard + " out");
  }
  const std::optional<std::size_t> axis = indivisible_axis(strategy);
  if (!axis) return std::nullopt;
  const std::int64_t degree = strategy.mesh[*axis].degree;
  return Infeasible{Constraint::shards,
                    shard + " and data:" + std::to_string(degree) + " do not divide each other",
                    0,
                    0,
                    {},
                    "use a divisor of the data-parallel ranks"};
}

/// What is not waited for is a whole gradient, of which there are others.
Refusal check_backup(const Strategy& strategy) {
  if (strategy.backup == 0) return std::nullopt;
  const std::string backup = "backup=" + std::to_string(strategy.backup);
  if (strategy.ranks() != strategy.replicas() || strategy.zero > 0 ||
      chosen_exchange(strategy.exchange).row != nullptr) {
    throw InputError("--strategy",
                     backup +
                         " is of ranks that sum whole gradients: data parallel alone, all state "
                         "on each",
                     "leave " + backup + " out, or write data:N; " + backup);
  }
  if (strategy.backup < strategy.replicas()) return std::nullopt;
  return Infeasible{Constraint::batch,
                    backup + " waits for none of " + std::to_string(strategy.replicas()) + " ranks",
                    0,
                    0,
                    {},
                    "give fewer"};
}

/// A rank has several stages of a pipeline alone, in the order of 1f1b or zb_h1 and of whole
/// groups.
Refusal check_chunks(const Strategy& strategy, std::int64_t ranks) {
  if (strategy.chunks == 1) return std::nullopt;
  const std::string chunks = "chunks=" + std::to_string(strategy.chunks);
  if (ranks == 1) {
    throw InputError("--strategy", chunks + " needs a pipeline",
                     "add an axis, as in pipeline:4, or leave " + chunks + " out");
  }
  if (strategy.schedule != PipelineSchedule::one_f_one_b &&
      strategy.schedule != PipelineSchedule::zb_h1) {
    throw InputError("--strategy", chunks + " is known in the orders of 1f1b and zb_h1 alone",
                     "write schedule=1f1b");
  }
  const std::int64_t multiple = std::max<std::int64_t>(1, strategy.micro_batches / ranks) * ranks;
  if (multiple == strategy.micro_batches) return std::nullopt;
  return Infeasible{Constraint::micro_batches,
                    chunks + ", whose micro-batches come in groups of " + std::to_string(ranks),
                    static_cast<double>(multiple),
                    static_cast<double>(strategy.micro_batches),
                    "micro-batches",
                    "use micro_batches=" + std::to_string(multiple)};
}

/// A forward and a backward of two micro-batches follow each other in one order alone.
void check_pairs(const Strategy& strategy) {
  if (!strategy.expert_overlap || strategy.schedule == PipelineSchedule::one_f_one_b) return;
  throw InputError("--strategy", "expert_overlap=on is known in the order of 1f1b alone",
                   "write schedule=1f1b, or leave expert_overlap=on out");
}

/// Every micro-batch must hold a sample for each group that cuts samples.
Refusal check_batch(std::int64_t batch, std::int64_t groups, std::int64_t micro_batches) {
  if (batch < groups) {
    return Infeasible{
        Constraint::batch,
        "batch",
        static_cast<double>(groups),
        static_cast<double>(batch),
        "samples",
        "raise the batch to " + std::to_string(groups) + " or shard something else than samples"};
  }
  if (batch < groups * micro_batches) {
    return Infeasible{Constraint::micro_batches,
                      "batch",
                      static_cast<double>(groups * micro_batches),
                      static_cast<double>(batch),
                      "samples",
                      "use at most micro_batches=" + std::to_string(batch / groups)};
  }
  return std::nullopt;
}

void find_pipeline(Plan& plan) {
  for (std::size_t a = 0; a < plan.strategy.mesh.size(); ++a) {
    if (plan.strategy.mesh[a].cut == Cut::pipeline) plan.pipeline_axes |= AxisSet{1} << a;
  }
}

void make_pieces(const Graph& graph, Plan& plan) {
  const std::int64_t samples = plan.micro_batch_samples();
  plan.pieces.clear();
  plan.pieces.reserve(graph.size());
  for (LayerId id = 0; id < graph.size(); ++id) {
    const LayerId like = plan.assignment.like[id];
    plan.pieces.push_back(
        like != id ? plan.pieces[like]
                   : make_piece(graph, plan.assignment, plan.strategy, plan.degrees, id, samples));
  }
}

/// `count`: of stages.
Refusal make_stages(const Graph& graph, std::int64_t count, Plan& plan) {
  auto cuts = stages_of(graph, plan, count);
  if (auto* refusal = std::get_if<Infeasible>(&cuts)) return std::move(*refusal);
  const auto& firsts = std::get<std::vector<LayerId>>(cuts);
  plan.stages.resize(static_cast<std::size_t>(count));
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    plan.stages[s].first = firsts[s];
    plan.stages[s].last = firsts[s + 1];
  }
  return std::nullopt;
}

std::size_t stage_of(const Plan& plan, LayerId id) {
  std::size_t stage = 0;
  while (id >= plan.stages[stage].last) ++stage;
  return stage;
}

/// Whether both layers hold the same part of a weight and sum its gradient over the same ranks.
bool hold_alike(const Effects& left, const Effects& right) {
  return std::equal(
      left.begin(), left.end(), right.begin(), [](const CutEffect& one, const CutEffect& other) {
        return one.cuts_filters == other.cuts_filters && one.cuts_channels == other.cuts_channels &&
               one.cuts_experts == other.cuts_experts &&
               one.partial_weight_gradient == other.partial_weight_gradient;
      });
}

/// A layer whose weight lies in another stage has a copy.
void copy_weights(const Graph& graph, Plan& plan) {
  plan.copies.clear();
  for (LayerId id = 1; id < graph.size(); ++id) {
    Piece& piece = plan.pieces[id];
    if (piece.shared == 0) continue;
    const std::vector<Weight>& weights = graph[id].weights;
    const auto away = std::find_if(weights.begin(), weights.end(), [&](const Weight& weight) {
      return weight.owner != 0 && stage_of(plan, weight.owner) != stage_of(plan, id);
    });
    if (away == weights.end()) continue;
    if (!piece.frozen) plan.copies.push_back({id, away->owner, piece.shared});
    piece.shared = 0;
  }
}

/// A weight that several layers use lies in one layout.
Refusal check_shared(const Graph& graph, const Plan& plan) {
  for (LayerId id = 1; id < graph.size(); ++id) {
    for (const Weight& weight : graph[id].weights) {
      if (weight.owner == 0) continue;
      const std::string shared = " the weight that it shares with " + graph[weight.owner].name;
      const std::string layer = "layer " + graph[id].name;
      if (hold_alike(plan.assignment.effects[id], plan.assignment.effects[weight.owner])) continue;
      return Infeasible{Constraint::shared_weights,
                        layer + " holds another part of" + shared,
                        0,
                        0,
                        {},
                        "shard both layers along the same axes, with a rule for each"};
    }
  }
  return std::nullopt;
}

std::variant<Plan, Infeasible> make_plan(const Graph& graph, const Strategy& strategy,
                                         const Training& training, const Cluster& cluster,
                                         bool staged, Twins twins) {
  if (training.batch < 1) throw InputError("--batch", "a batch has at least 1 sample");
  Plan plan;
  plan.strategy = resolve(strategy, graph);
  plan.training = training;
  plan.channel_block = cluster.device.channel_block;
  plan.degrees = plan.strategy.degrees();
  if (auto refusal = check_machine(plan.strategy, training, cluster)) return std::move(*refusal);
  if (auto refusal = check_host(plan.strategy, cluster)) return std::move(*refusal);
  if (auto refusal = check_axes(graph, plan.strategy)) return std::move(*refusal);
  check_rings(plan.strategy);
  check_pairs(plan.strategy);
  if (auto refusal = check_shards(plan.strategy)) return std::move(*refusal);
  if (auto refusal = check_backup(plan.strategy)) return std::move(*refusal);
  if (auto refusal = refused_exchange(plan.strategy, training.precision)) {
    return std::move(*refusal);
  }
  plan.replica_axes = replica_axes(plan.strategy);
  find_pipeline(plan);

  auto assigned = assign(graph, plan.strategy);
  if (auto* refusal = std::get_if<Infeasible>(&assigned)) return std::move(*refusal);
  plan.assignment = std::get<Assignment>(std::move(assigned));
  if (auto refusal = refused_averaging(graph, plan.assignment, plan.strategy)) {
    return std::move(*refusal);
  }

  const std::int64_t groups = sample_groups(plan.assignment, plan.degrees);
  const std::int64_t pipeline = plan.group_size(plan.pipeline_axes);
  if (plan.strategy.micro_batches == 0) {
    plan.strategy.micro_batches =
        choose_micro_batches(pipeline, plan.strategy.chunks, training.batch / groups);
  }
  const std::int64_t micro_batches = plan.strategy.micro_batches;
  if (auto refusal = check_chunks(plan.strategy, pipeline)) return std::move(*refusal);
  if (auto refusal = check_batch(training.batch, groups, micro_batches)) return std::move(*refusal);

  make_pieces(graph, plan);
  if (!staged) plan.strategy.chunks = 1;
  const std::int64_t stages = staged ? pipeline * plan.strategy.chunks : 1;
  if (auto refusal = make_stages(graph, stages, plan)) return std::move(*refusal);
  plan.recomputation = recomputation(graph, plan.strategy.recompute);
  plan.recomputation.whole =
      plan.strategy.recompute == "full" && training.framework.recomputes_whole_blocks;
  copy_weights(graph, plan);
  if (auto refusal = check_shared(graph, plan)) return std::move(*refusal);
  plan.fused = fused_layers(graph, plan, fusions_of(cluster.device, training.framework));
  find_sums_in_norms(graph, plan);
  plan.wide = promoted_layers(graph, training, plan.strategy.zero);
  find_promoted_pieces(graph, plan);
  emit_stages(graph, plan, twins);
  return plan;
}

}  // namespace

std::variant<Plan, Infeasible> partition(const Graph& graph, const Strategy& strategy,
                                         const Training& training, const Cluster& cluster,
                                         Twins twins) {
  return make_plan(graph, strategy, training, cluster, true, twins);
}

std::variant<Plan, Infeasible> partition_in_one_stage(const Graph& graph, const Strategy& strategy,
                                                      const Training& training,
                                                      const Cluster& cluster) {
  return make_plan(graph, strategy, training, cluster, false, Twins::whole);
}

Plan of_one_micro_batch(const Graph& graph, const Plan& plan, std::int64_t samples) {
  Plan one = plan;
  one.training.batch = samples;
  one.strategy.micro_batches = 1;
  make_pieces(graph, one);
  copy_weights(graph, one);
  find_sums_in_norms(graph, one);
  find_promoted_pieces(graph, one);
  for (Stage& stage : one.stages) {
    Stage bare;
    bare.first = stage.first;
    bare.last = stage.last;
    stage = std::move(bare);
  }
  emit_stages(graph, one);
  return one;
}

}  // namespace oracle
