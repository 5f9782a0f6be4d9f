#include "oracle/memory/footprint.h"

#include <algorithm>

#include "oracle/memory/liveness.h"
#include "oracle/plan/pipeline_order.h"

namespace oracle {
namespace {

/// Workspace of the hungriest kernel: libraries lower a windowed contraction to a matrix product
/// and want room of the order of its input. Frameworks bound it.
constexpr Bytes kWorkspaceLimit{256.0 * 1024 * 1024};

Bytes& at(Footprint& footprint, MemoryUse use) {
  return footprint.bytes[static_cast<std::size_t>(use)];
}

void add_parameters(const Plan& plan, const Stage& stage, Footprint& footprint) {
  std::int64_t weights = 0;
  for (LayerId id = stage.first; id < stage.last; ++id) weights += plan.pieces[id].weights;
  const auto count = static_cast<double>(weights);
  const Precision& precision = plan.training.precision;
  at(footprint, MemoryUse::weights) =
      Bytes{count * (precision.weight_bytes + precision.master_bytes)};
  at(footprint, MemoryUse::gradients) = Bytes{count * precision.gradient_bytes};
  at(footprint, MemoryUse::optimizer) = Bytes{count * plan.training.optimizer.state_bytes};
}

Bytes workspace(const Graph& graph, const Plan& plan, const Stage& stage) {
  Bytes most;
  for (LayerId id = stage.first; id < stage.last; ++id) {
    const Layer& layer = graph[id];
    if (layer.mixing != Mixing::contraction || layer.reach != Reach::windowed) continue;
    const Piece& piece = plan.pieces[id];
    const double inputs =
        static_cast<double>(piece.input.elements()) * static_cast<double>(piece.samples);
    most = std::max(most, Bytes{inputs * plan.training.precision.activation_bytes});
  }
  return std::min(most, kWorkspaceLimit);
}

Bytes largest_halo(const Stage& stage) {
  Bytes halo;
  for (const Item& item : stage.items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr || transfer->collective != Collective::halo_exchange) continue;
    halo = std::max(halo, transfer->bytes);
  }
  return halo;
}

}  // namespace

std::string_view name_of(MemoryUse use) {
  constexpr std::array<std::string_view, kMemoryUseCount> kNames = {"weights",
                                                                    "gradients",
                                                                    "optimizer state",
                                                                    "activations",
                                                                    "activation gradients",
                                                                    "communication buffers",
                                                                    "workspace",
                                                                    "reserved"};
  return kNames[static_cast<std::size_t>(use)];
}

Bytes Footprint::total() const {
  Bytes sum;
  for (const Bytes& part : bytes) sum += part;
  return sum;
}

StageNeed stage_need(const Graph& graph, const Plan& plan, std::size_t index,
                     const Cluster& cluster) {
  const Stage& stage = plan.stages[index];
  StageNeed need;
  Footprint& footprint = need.one;
  footprint.stage = index;
  footprint.available = cluster.device.memory / static_cast<double>(cluster.ranks_per_device);
  add_parameters(plan, stage, footprint);
  at(footprint, MemoryUse::workspace) = workspace(graph, plan, stage);
  at(footprint, MemoryUse::communication) = largest_halo(stage);
  at(footprint, MemoryUse::reserved) = cluster.device.reserved;

  const Liveness alive = liveness(graph, plan, index);
  const LivePoint* peak = nullptr;
  for (const LivePoint& point : alive.points) {
    if (peak == nullptr || point.total() > peak->total()) peak = &point;
  }
  if (peak == nullptr) return need;
  at(footprint, MemoryUse::activations) = peak->activations;
  at(footprint, MemoryUse::activation_gradients) = peak->gradients;
  footprint.peak_layer = peak->layer;
  footprint.peak_pass = peak->pass;
  need.kept = alive.kept;
  return need;
}

Footprint StageNeed::with(std::int64_t in_flight, Bytes bucket) const {
  Footprint footprint = one;
  at(footprint, MemoryUse::activations) += kept * static_cast<double>(in_flight - 1);
  at(footprint, MemoryUse::communication) += bucket;
  return footprint;
}

Bytes largest_bucket(const Stage& stage) {
  Bytes bucket;
  for (std::size_t i = stage.items.size(); i-- > 0;) {
    const Item& item = stage.items[i];
    if (item.phase == Phase::update) continue;
    if (item.phase != Phase::exchange) break;
    bucket = std::max(bucket, std::get<Transfer>(item.what).bytes);
  }
  return bucket;
}

Footprint worst_footprint(std::span<const StageNeed> needs, const Plan& plan) {
  const auto stages = static_cast<std::int64_t>(needs.size());
  Footprint worst;
  for (std::size_t s = 0; s < needs.size(); ++s) {
    const std::int64_t held = in_flight(plan.strategy.schedule, stages,
                                        static_cast<std::int64_t>(s), plan.strategy.micro_batches);
    const Footprint candidate = needs[s].with(held, largest_bucket(plan.stages[s]));
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
