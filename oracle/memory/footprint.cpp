#include "oracle/memory/footprint.h"

#include <algorithm>
#include <cmath>

#include "oracle/plan/pipeline_order.h"
#include "oracle/plan/storage.h"

namespace oracle {
namespace {

Bytes& at(Footprint& footprint, MemoryUse use) {
  return footprint.bytes[static_cast<std::size_t>(use)];
}

void add_parameters(const Graph& graph, const Plan& plan, const Stage& stage,
                    Footprint& footprint) {
  const Precision& precision = plan.training.precision;
  const int zero = plan.strategy.zero;
  double whole = 0, shards = 0, cast = 0;
  for (LayerId id = stage.first; id < stage.last; ++id) {
    const Piece& piece = plan.pieces[id];
    const auto weights = static_cast<double>(
        piece.shared > 0 ? piece.owned() : stored_weights(graph[id], piece, plan.channel_block));
    whole += weights;
    shards += std::ceil(weights / static_cast<double>(plan.shards(id)));
    // What is gathered comes cast.
    if (zero < 3 || plan.shards(id) == 1) cast += weights;
  }
  at(footprint, MemoryUse::weights) = Bytes{(zero >= 3 ? shards : whole) * precision.weight_bytes};
  at(footprint, MemoryUse::casts) = Bytes{cast * precision.cast_bytes};
  at(footprint, MemoryUse::gradients) =
      Bytes{(zero >= 2 ? shards : whole) * precision.gradient_bytes};
  at(footprint, MemoryUse::optimizer) =
      Bytes{shards * (precision.master_bytes + plan.training.optimizer.state_bytes)};
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

}  // namespace

std::string_view name_of(MemoryUse use) {
  constexpr std::array<std::string_view, kMemoryUseCount> kNames = {
      "weights",     "weight casts",         "gradients",        "optimizer state",
      "activations", "activation gradients", "fp32 scores",      "communication buffers",
      "workspace",   "gathered weights",     "framework context"};
  return kNames[static_cast<std::size_t>(use)];
}

Bytes Footprint::total() const {
  Bytes sum;
  for (const Bytes& part : bytes) sum += part;
  return sum;
}

MemoryUse Footprint::largest() const {
  const auto most = std::max_element(bytes.begin(), bytes.end());
  return static_cast<MemoryUse>(most - bytes.begin());
}

StageNeed stage_need(const Graph& graph, const Plan& plan, std::size_t index,
                     const Cluster& cluster) {
  const Stage& stage = plan.stages[index];
  StageNeed need;
  Footprint& footprint = need.one;
  footprint.stage = index;
  footprint.available = cluster.device.memory / static_cast<double>(cluster.ranks_per_device);
  add_parameters(graph, plan, stage, footprint);
  at(footprint, MemoryUse::context) = cluster.device.reserved;
  Liveness alive = liveness(graph, plan, index);
  put(alive.peak, footprint);
  need.kept = alive.kept;
  need.kept_scores = alive.kept_scores;
  need.after_gradient = std::move(alive.after_gradient);
  return need;
}

/// Buckets that wait for all of backward meet nothing else.
Footprint StageNeed::with(std::int64_t in_flight, const Stage& stage) const {
  Footprint worst = one;
  at(worst, MemoryUse::activations) += kept * static_cast<double>(in_flight - 1);
  at(worst, MemoryUse::scores) += kept_scores * static_cast<double>(in_flight - 1);
  const std::vector<Gradient>& gradients = stage.backward_end.gradients;
  std::size_t next = gradients.size();
  for (std::size_t i = stage.items.size(); i-- > stage.backward_end.items;) {
    const Item& item = stage.items[i];
    // What is gathered after the update comes to where it lies.
    if (item.phase != Phase::exchange || std::get<Transfer>(item.what).payload == Payload::weight) {
      continue;
    }
    const std::uint32_t ready = stage.needs_of(item).front();
    while (next > 0 && gradients[next - 1].ready_after > ready) --next;
    const bool at_once = next > 0 && gradients[next - 1].ready_after == ready;
    Footprint candidate = one;
    put(at_once ? after_gradient[next - 1] : LivePoint{}, candidate);
    at(candidate, MemoryUse::communication) += std::get<Transfer>(item.what).bytes;
    if (candidate.total() > worst.total()) worst = candidate;
  }
  return worst;
}

Footprint footprint_of(const StageNeed& need, const Plan& plan, std::size_t stage) {
  const auto stages = static_cast<std::int64_t>(plan.stages.size());
  const std::int64_t held =
      in_flight(plan.strategy.schedule, stages, static_cast<std::int64_t>(stage),
                plan.strategy.micro_batches);
  Footprint footprint = need.with(held, plan.stages[stage]);
  const Framework& framework = plan.training.framework;
  footprint.least_reserved = footprint.allocated() * (1 + framework.least_reserve);
  footprint.most_reserved = footprint.allocated() * (1 + framework.most_reserve);
  return footprint;
}

Footprint worst_footprint(std::span<const StageNeed> needs, const Plan& plan) {
  Footprint worst;
  for (std::size_t s = 0; s < needs.size(); ++s) {
    const Footprint candidate = footprint_of(needs[s], plan, s);
    if (s == 0 || candidate.total() > worst.total()) worst = candidate;
  }
  return worst;
}

Footprint footprint(const Graph& graph, const Plan& plan, const Cluster& cluster) {
  std::vector<StageNeed> needs;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    needs.push_back(stage_need(graph, plan, s, cluster));
  }
  return worst_footprint(needs, plan);
}

std::vector<Bytes> transient_bytes(const Graph& graph, const Plan& plan, std::size_t stage) {
  const Liveness alive = liveness(graph, plan, stage);
  std::vector<Bytes> bytes;
  for (const LivePoint& point : alive.points) bytes.push_back(point.total());
  bytes.push_back(alive.left);
  return bytes;
}

}  // namespace oracle
