#include "oracle/search/least_time.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <variant>

#include "oracle/evaluate/balance.h"
#include "oracle/memory/footprint.h"
#include "oracle/timeline/stage_run.h"

namespace oracle {
namespace {

/// Another order of the axes may change layouts in other steps, which move somewhat less.
constexpr double kOfAnyOrder = 0.8;

/// Layers that a stage's end within a block leaves as the last of their segment, which backward
/// does not compute again: of a residual and two branches.
constexpr std::int64_t kLastOfSegment = 3;

/// The sum of the `count` longest.
Seconds longest_of(std::vector<Seconds> times, std::int64_t count) {
  const auto all = static_cast<std::ptrdiff_t>(times.size());
  const auto end = times.begin() + std::min<std::ptrdiff_t>(all, count);
  std::partial_sort(times.begin(), end, times.end(), std::greater<>());
  return std::accumulate(times.begin(), end, Seconds{});
}

/// What one rank must receive at least, as a part of the buffer that n ranks share.
Bytes moved(const Transfer& transfer, double outside) {
  switch (transfer.collective) {
    case Collective::all_reduce:
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::all_to_all:
      return transfer.bytes * outside;
    case Collective::send_receive:
    case Collective::halo_exchange:
    case Collective::ring_pass:
    case Collective::push:
    case Collective::pull:
    case Collective::butterfly:
    case Collective::to_host:
    case Collective::from_host:
      break;
  }
  return {};
}

/// By layer: what is there all the time, and what is kept of each micro-batch.
struct Needs {
  std::vector<Bytes> state;
  const std::vector<Bytes>& kept;

  Bytes average(std::int64_t stages) const {
    const Bytes all = std::accumulate(state.begin(), state.end(), Bytes{});
    return std::accumulate(kept.begin(), kept.end(), all) / static_cast<double>(stages);
  }

  /// Whether `room` on each of the ranks is enough: each takes as many layers as it can.
  bool fit(Bytes room, std::int64_t stages, std::int64_t micro_batches) const {
    std::int64_t left = stages;
    Bytes used;
    for (std::size_t id = 0; id < state.size(); ++id) {
      const auto of_layer = [&] {
        return state[id] + kept[id] * static_cast<double>(std::min(left, micro_batches));
      };
      while (used + of_layer() > room) {
        used = {};
        if (--left == 0) return false;
      }
      used += of_layer();
    }
    return true;
  }

  /// Of the rank that needs most, where layers lie as well as can be.
  Bytes least(std::int64_t stages, std::int64_t micro_batches) const {
    Bytes low = average(stages), high = low * static_cast<double>(stages * stages);
    if (stages == 1 || fit(low, stages, micro_batches)) return low;
    for (int halvings = 0; halvings < 12; ++halvings) {
      const Bytes middle{std::sqrt(low.value * high.value)};
      (fit(middle, stages, micro_batches) ? high : low) = middle;
    }
    return low;
  }
};

}  // namespace

LeastTime::LeastTime(const Setting& setting)
    : setting_(setting),
      pricer_(setting.graph, setting.cluster, setting.profile),
      one_stage_(setting, pricer_) {}

Seconds LeastTime::least(const Transfer& transfer, std::int64_t ranks) const {
  if (!setting_.profile.links.empty() || ranks < 2) return {};
  const std::vector<Level>& levels = setting_.cluster.levels;
  Seconds latency = levels.front().uplink.latency;
  Bandwidth fastest;
  for (const Level& level : levels) {
    latency = std::min(latency, level.uplink.latency);
    fastest = std::max(fastest, level.uplink.bandwidth);
  }
  const auto n = static_cast<double>(ranks);
  Seconds least = latency + moved(transfer, (n - 1) / n) / fastest;
  for (std::size_t l = 1; l < levels.size(); ++l) {
    const auto below = static_cast<double>(setting_.cluster.capacity(l - 1));
    if (below >= n) break;
    const Link& link = levels[l].uplink;
    least = std::max(least, latency + moved(transfer, 1 - below / n) / link.bandwidth);
  }
  return least;
}

LeastTime::Passing LeastTime::passing(const Plan& plan) {
  StagePrices& prices = one_stage_.price();
  const Stage& stage = plan.stages.front();
  for (std::size_t i = 0; i < stage.backward_end.items; ++i) {
    const auto* transfer = std::get_if<Transfer>(&stage.items[i].what);
    if (transfer == nullptr) continue;
    const bool waits = stream_of(stage.items[i]) == Stream::communication;
    prices.items[i].time =
        waits ? least(*transfer, plan.group_size(transfer->axes)) * kOfAnyOrder : Seconds{};
  }
  prices.beside.clear();
  for (const BesideProducts& message : stage.beside_products) {
    prices.items[message.transfer].time = {};
  }
  for (const std::uint32_t message : stage.expert_messages) prices.items[message].time = {};
  return {layer_costs(one_stage_.graph(), stage, prices, Passes::all),
          layer_costs(one_stage_.graph(), stage, prices, Passes::forward)};
}

std::vector<Least> LeastTime::of(Strategy strategy, const Training& training,
                                 std::span<const std::int64_t> chunks, int most_zero) {
  std::vector<Least> found(chunks.size());
  strategy.chunks = 1;
  // Shards of weights are gathered in 16 bits, which leaves no value of fp32 (plan/promotion.h).
  constexpr int kLeastShards = 3;
  Training in_shards;
  const bool leaves_wide = training.framework.promotes && most_zero >= kLeastShards;
  if (leaves_wide) {
    in_shards = training;
    in_shards.framework.promotes = false;
  }
  const Plan* plan = one_stage_.plan(strategy, leaves_wide ? in_shards : training);
  if (plan == nullptr) return found;
  const Passing layers = passing(*plan);
  const std::vector<Bytes> kept = one_stage_.expand(kept_by_layer(one_stage_.graph(), *plan, 0));
  const std::int64_t stages = plan->group_size(plan->pipeline_axes);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    found[i].time = time_of(*plan, layers, chunks[i]);
    if (stages == 1) found[i].kept = std::accumulate(kept.begin(), kept.end(), Bytes{});
  }
  for (int zero = 0; zero <= most_zero; ++zero) {
    const Needs needs{one_stage_.expand(state_of(*plan, zero)), kept};
    const Bytes average = needs.average(stages);
    const Bytes in_order = needs.least(stages, plan->strategy.micro_batches);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      found[i].memory[static_cast<std::size_t>(zero)] =
          setting_.cluster.device.reserved + (chunks[i] > 1 ? average : in_order);
    }
  }
  return found;
}

std::vector<Bytes> LeastTime::state_of(const Plan& plan, int zero) const {
  std::vector<Bytes> state(plan.pieces.size());
  for (LayerId id = 1; id < plan.pieces.size(); ++id) {
    state[id] = state_bytes(one_stage_.graph(), plan, id, zero);
  }
  return state;
}

Seconds LeastTime::time_of(const Plan& plan, const Passing& layers, std::int64_t chunks) const {
  const Graph& graph = one_stage_.graph();
  const std::int64_t count = plan.strategy.micro_batches;
  const std::int64_t stages = plan.group_size(plan.pipeline_axes);
  const std::int64_t more = plan.strategy.expert_overlap ? 1 : 0;
  const auto under_way = static_cast<double>(std::min(count, stages + more));
  const auto micro_batches = static_cast<double>(count);
  Seconds all, forward, later, longest;
  std::vector<Seconds> again;
  for (LayerId id = 0; id < graph.size(); ++id) {
    const std::int64_t times = one_stage_.times(id);
    all += layers.all[id] * static_cast<double>(times);
    forward += layers.ahead[id] * static_cast<double>(times);
    Seconds least = layers.all[id];
    if (stages > 1 && plan.recomputation.covers(id)) {
      least = layers.all[id] - layers.ahead[id];
      again.insert(again.end(), static_cast<std::size_t>(times), layers.ahead[id]);
    }
    longest = std::max(longest, least);
    later = std::max(
        later, least * (micro_batches - under_way) + (least - layers.ahead[id]) * (under_way - 1));
  }
  all = all - longest_of(std::move(again), kLastOfSegment * (stages * chunks - 1));
  constexpr double kSumsInAnotherOrder = 1 - 1e-9;
  const bool parts = stages > 1 && parts_backward(plan.strategy.schedule);
  if (chunks > 1 || parts) {
    const Seconds busy =
        std::max(all * micro_batches / static_cast<double>(stages), longest * micro_batches);
    return (parts ? busy : std::max(all, busy)) * kSumsInAnotherOrder;
  }
  const Seconds average =
      (all * (micro_batches - 1) - forward * (under_way - 1)) / static_cast<double>(stages);
  return (all + std::max(average, later)) * kSumsInAnotherOrder;
}

std::vector<MeshAxis> in_common_order(std::vector<MeshAxis> mesh) {
  std::sort(mesh.begin(), mesh.end(), [](const MeshAxis& a, const MeshAxis& b) {
    return a.cut != b.cut ? a.cut < b.cut : a.degree < b.degree;
  });
  return mesh;
}

}  // namespace oracle
