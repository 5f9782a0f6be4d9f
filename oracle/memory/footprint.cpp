#include "oracle/memory/footprint.h"

#include <algorithm>
#include <cmath>

#include "oracle/plan/assignment.h"
#include "oracle/plan/pipeline_order.h"
#include "oracle/plan/storage.h"

namespace oracle {
namespace {

Bytes& at(Footprint& footprint, MemoryUse use) {
  return footprint.bytes[static_cast<std::size_t>(use)];
}

/// Adds a layer's weights, gradients and optimizer state, of which `servers` may be asked to have
/// parts.
void add_state(const Graph& graph, const Plan& plan, LayerId id, int zero, std::int64_t servers,
               Footprint& footprint) {
  const Precision& precision = plan.training.precision;
  const Piece& piece = plan.pieces[id];
  const auto whole = static_cast<double>(
      piece.shared > 0 ? piece.owned() : stored_weights(graph[id], piece, plan.channel_block));
  const auto shards =
      zero > 0 ? plan.group_size(plan.axes_of_holders(id)) : plan.servers(id, servers);
  const double shard = std::ceil(whole / static_cast<double>(shards));
  const WeightBytes weight = WeightBytes::of(graph[id], precision);
  at(footprint, MemoryUse::weights) += Bytes{(zero >= 3 ? shard : whole) * weight.kept};
  if (piece.frozen) return;
  // What is gathered comes cast.
  const bool is_cast = zero < 3 || shards == 1;
  at(footprint, MemoryUse::casts) += Bytes{is_cast ? whole * weight.cast : 0};
  at(footprint, MemoryUse::gradients) +=
      Bytes{(plan.strategy.shards_gradients(zero) ? shard : whole) * precision.gradient_bytes};
  const bool copied =
      copies_gradients(plan.training, zero) && gradient_axes(plan.assignment.effects[id]) != 0;
  at(footprint, MemoryUse::buckets) += Bytes{copied ? whole * precision.travelling_bytes() : 0};
  const double moments = plan.training.optimizer.state_bytes, master = precision.master_bytes;
  if (plan.strategy.offload.optimizer) {
    // Without a master copy it has the weights themselves.
    const double updated = std::max(master, weight.sent);
    footprint.on_host += Bytes{shard * (updated + moments + precision.gradient_bytes)};
  } else {
    at(footprint, MemoryUse::optimizer) += Bytes{shard * (master + moments)};
  }
}

void put(const LivePoint& point, Footprint& footprint) {
  at(footprint, MemoryUse::activations) = point.activations;
  at(footprint, MemoryUse::activation_gradients) = point.gradients;
  at(footprint, MemoryUse::communication) = point.buffers;
  at(footprint, MemoryUse::workspace) = point.workspace;
  at(footprint, MemoryUse::gathered) = point.gathered;
  at(footprint, MemoryUse::scores) = point.scores;
  footprint.peak_layer = point.layer;
  footprint.peak_pass = point.pass;
}

/// What outlives a micro-batch, by stage.
constexpr std::array<MemoryUse, 5> kOfState = {MemoryUse::weights, MemoryUse::casts,
                                               MemoryUse::gradients, MemoryUse::buckets,
                                               MemoryUse::optimizer};

using KeptByOrder = std::array<KeptBeside, kMostChunks>;

/// By chunk of a rank. Groups of micro-batches in the middle are alike: three of them stand for
/// all, and five where two wait for a second turn of backward.
KeptByOrder kept_by_order(std::span<const StageNeed> needs, PipelineForm form, std::size_t rank) {
  const std::int64_t groups = form.parts_backward() ? 5 : 3;
  form.micro_batches =
      std::min(form.micro_batches, groups * form.ranks + form.micro_batches % form.ranks);
  KeptByOrder beside{};
  Kept sum;
  for (RankOrder order(form, static_cast<std::int64_t>(rank)); !order.is_over(); order.advance()) {
    const Turn turn = order.turn();
    const auto chunk = static_cast<std::size_t>(turn.chunk);
    const StageNeed& own = needs[chunk * static_cast<std::size_t>(form.ranks) + rank];
    const bool weights = turn.kind == TurnKind::weights;
    if (turn.kind == TurnKind::backward) sum = sum.plus(own.kept, -1);
    if (weights) sum = sum.plus(own.waiting, -1);
    Kept& most = weights ? beside[chunk].at_weights : beside[chunk].most;
    const Bytes on_host = std::max(most.on_host, sum.on_host);
    if (sum.total() > most.total()) most = sum;
    most.on_host = on_host;
    beside[chunk].at_last = sum;
    if (turn.kind == TurnKind::forward) sum = sum.plus(own.kept, 1);
    if (turn.kind == TurnKind::backward) sum = sum.plus(own.waiting, 1);
  }
  return beside;
}

void add(const Kept& kept, Footprint& footprint) {
  at(footprint, MemoryUse::activations) += kept.activations;
  at(footprint, MemoryUse::activation_gradients) += kept.gradients;
  at(footprint, MemoryUse::scores) += kept.scores;
}

}  // namespace

std::string_view name_of(MemoryUse use) {
  constexpr std::array<std::string_view, kMemoryUseCount> kNames = {"weights",
                                                                    "weight casts",
                                                                    "gradients",
                                                                    "gradient buckets",
                                                                    "optimizer state",
                                                                    "activations",
                                                                    "activation gradients",
                                                                    "fp32 scores",
                                                                    "communication buffers",
                                                                    "workspace",
                                                                    "gathered weights",
                                                                    "unsent gradients",
                                                                    "framework context"};
  return kNames[static_cast<std::size_t>(use)];
}

Bytes Footprint::total() const {
  Bytes sum;
  for (const Bytes& part : bytes) sum += part;
  return sum;
}

Bytes Footprint::shown(MemoryShown by) const {
  if (by == MemoryShown::allocated) return allocated();
  const Bytes held = (least_reserved + most_reserved) / 2;
  return by == MemoryShown::reserved ? held : held + of(MemoryUse::context);
}

Bytes state_bytes(const Graph& graph, const Plan& plan, LayerId id, int zero) {
  Footprint footprint;
  add_state(graph, plan, id, zero, plan.servers_asked(), footprint);
  return footprint.total();
}

std::vector<Bytes> kept_by_layer(const Graph& graph, const Plan& plan, std::size_t index) {
  const Stage& stage = plan.stages[index];
  std::vector<Bytes> kept(graph.size());
  std::vector<bool> counted(stage.tensors.size(), false);
  for (std::uint32_t i = stage.backward_begin; i < stage.backward_end.items; ++i) {
    const auto* work = std::get_if<Work>(&stage.items[i].what);
    if (work == nullptr) continue;
    for (const TensorId read : stage.reads_of(stage.items[i])) {
      if (stage.tensors[read].made_by >= stage.backward_begin) continue;
      const TensorId storage = stage.tensors[read].storage;
      if (counted[storage]) continue;
      counted[storage] = true;
      const PlanTensor& tensor = stage.tensors[storage];
      if (tensor.role == Role::activation || tensor.role == Role::scores) {
        kept[work->layer] += tensor.bytes;
      }
    }
  }
  return kept;
}

MemoryUse Footprint::largest() const {
  const auto most = std::max_element(bytes.begin(), bytes.end());
  return static_cast<MemoryUse>(most - bytes.begin());
}

Room Footprint::scarcer() const {
  const Room device{needed(), available}, host{on_host, host_available, true};
  const bool is_host =
      host.needed.value * device.available.value > device.needed.value * host.available.value;
  return is_host ? host : device;
}

StageNeed stage_need(const Graph& graph, const Plan& plan, std::size_t index,
                     const Cluster& cluster) {
  StageNeed need;
  Footprint& footprint = need.one;
  footprint.stage = index;
  footprint.available = cluster.rank_memory();
  footprint.host_available =
      cluster.host.memory / static_cast<double>(cluster.ranks_on_host(plan.ranks()));
  const Stage& stage = plan.stages[index];
  const std::int64_t servers = plan.servers_asked();
  for (LayerId id = stage.first; id < stage.last; ++id) {
    add_state(graph, plan, id, plan.strategy.zero, servers, footprint);
  }
  at(footprint, MemoryUse::context) = cluster.device.reserved;
  Liveness alive = liveness(graph, plan, index);
  put(alive.peak, footprint);
  need.kept = {alive.kept, alive.kept_scores};
  need.weights_peak = alive.weights_peak;
  need.waiting = {alive.waiting, {}, alive.waiting_gradients};
  if (plan.strategy.offload.activations) {
    for (const PlanTensor& tensor : stage.tensors) {
      if (tensor.on_host) need.kept.on_host += tensor.bytes;
    }
  }
  need.after_gradient = std::move(alive.after_gradient);
  return need;
}

namespace {

/// Buffers of an item that exchanges gradients, or averages weights; what is gathered after the
/// update comes to where it lies.
Bytes held_by(const Item& item) {
  if (const auto* step = std::get_if<Compression>(&item.what)) return step->held;
  const auto* transfer = std::get_if<Transfer>(&item.what);
  const bool gathers = transfer != nullptr && transfer->collective == Collective::all_gather &&
                       transfer->payload == Payload::weight;
  if (transfer == nullptr || gathers || crosses_host_link(*transfer)) return {};
  return transfer->bytes + transfer->beside;
}

/// What a stage keeps from step to step of gradients that travel compressed.
Bytes residuals(const Stage& stage) {
  Bytes kept;
  for (std::size_t i = stage.backward_end.items; i < stage.items.size(); ++i) {
    const auto* step = std::get_if<Compression>(&stage.items[i].what);
    if (step != nullptr) kept += step->kept;
  }
  return kept;
}

}  // namespace

/// Buckets that wait for all of backward meet nothing else.
Footprint StageNeed::with(const KeptBeside& others, const Stage& stage) const {
  Footprint state = one;
  at(state, MemoryUse::residuals) += residuals(stage);
  state.on_host += kept.on_host + others.most.on_host;
  Footprint worst = state;
  add(others.most, worst);
  if (stage.parts_backward()) {
    Footprint candidate = state;
    put(weights_peak, candidate);
    add(others.at_weights, candidate);
    if (candidate.total() > worst.total()) worst = candidate;
  }
  const std::vector<Gradient>& gradients = stage.backward_end.gradients;
  std::size_t next = gradients.size();
  const std::uint32_t update = stage.update_item();
  Bytes held;
  for (std::size_t i = stage.items.size(); i-- > stage.backward_end.items;) {
    const Item& item = stage.items[i];
    held = std::max(held, held_by(item));
    if (held == Bytes{}) continue;
    // Of the steps of a bucket the first one waits for its gradients.
    const std::uint32_t ready = stage.needs_of(item).front();
    const bool is_first = ready < stage.backward_end.items || ready == update;
    if (!is_first) continue;
    while (next > 0 && gradients[next - 1].ready_after > ready) --next;
    const bool at_once = next > 0 && gradients[next - 1].ready_after == ready;
    Footprint candidate = state;
    put(at_once ? after_gradient[next - 1] : LivePoint{}, candidate);
    add(others.at_last, candidate);
    at(candidate, MemoryUse::communication) += held;
    held = {};
    if (candidate.total() > worst.total()) worst = candidate;
  }
  return worst;
}

std::vector<StageNeed> stage_needs(const Graph& graph, const Plan& plan, const Cluster& cluster) {
  std::vector<StageNeed> needs;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const std::size_t twin = plan.twin(s);
    if (twin == s) {
      needs.push_back(stage_need(graph, plan, s, cluster));
      continue;
    }
    const LayerId distance = plan.stages[s].first - plan.stages[twin].first;
    StageNeed& need = needs.emplace_back(needs[twin]);
    need.one.stage = s;
    need.one.peak_layer += distance;
    need.weights_peak.layer += distance;
    for (LivePoint& point : need.after_gradient) point.layer += distance;
  }
  return needs;
}

namespace {

Footprint of_one_stage(const StageNeed& need, const Plan& plan, std::size_t rank) {
  const auto held = in_flight(plan.pipeline(), static_cast<std::int64_t>(rank));
  const Kept others = Kept{}.plus(need.kept, static_cast<double>(held - 1));
  return need.with({others, {}, {}}, plan.stages[plan.twin(rank)]);
}

/// Of a rank with several stages, or whose backward is two turns.
Footprint of_several_stages(std::span<const StageNeed> needs, const Plan& plan, std::size_t rank) {
  const PipelineForm form = plan.pipeline();
  const auto ranks = static_cast<std::size_t>(form.ranks);
  const KeptByOrder kept = kept_by_order(needs, form, rank);
  Footprint worst;
  for (std::size_t chunk = 0; chunk < static_cast<std::size_t>(form.chunks); ++chunk) {
    const std::size_t own = chunk * ranks + rank;
    Footprint candidate = needs[own].with(kept[chunk], plan.stages[plan.twin(own)]);
    for (std::size_t s = rank; s < needs.size(); s += ranks) {
      if (s == own) continue;
      for (const MemoryUse use : kOfState) at(candidate, use) += needs[s].one.of(use);
      at(candidate, MemoryUse::residuals) += residuals(plan.stages[plan.twin(s)]);
      candidate.on_host += needs[s].one.on_host;
    }
    if (candidate.total() > worst.total()) worst = candidate;
  }
  return worst;
}

}  // namespace

Footprint footprint_of(std::span<const StageNeed> needs, const Plan& plan, std::size_t rank) {
  const PipelineForm form = plan.pipeline();
  Footprint footprint = form.chunks == 1 && !form.parts_backward()
                            ? of_one_stage(needs[rank], plan, rank)
                            : of_several_stages(needs, plan, rank);
  const Framework& framework = plan.training.framework;
  footprint.least_reserved = footprint.allocated() * (1 + framework.least_reserve);
  footprint.most_reserved = footprint.allocated() * (1 + framework.most_reserve);
  return footprint;
}

Footprint worst_footprint(std::span<const StageNeed> needs, const Plan& plan) {
  Footprint worst;
  Bytes on_host;
  const auto ranks = static_cast<std::size_t>(plan.pipeline().ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const Footprint candidate = footprint_of(needs, plan, r);
    on_host = std::max(on_host, candidate.on_host);
    if (r == 0 || candidate.total() > worst.total()) worst = candidate;
  }
  worst.on_host = on_host;
  return worst;
}

Footprint footprint(const Graph& graph, const Plan& plan, const Cluster& cluster) {
  return worst_footprint(stage_needs(graph, plan, cluster), plan);
}

std::vector<Bytes> transient_bytes(const Graph& graph, const Plan& plan, std::size_t stage) {
  const Liveness alive = liveness(graph, plan, stage);
  std::vector<Bytes> bytes;
  for (const LivePoint& point : alive.points) bytes.push_back(point.total());
  bytes.push_back(alive.left);
  return bytes;
}

}  // namespace oracle
