#include "oracle/plan/plan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "oracle/base/error.h"
#include "oracle/plan/assignment.h"
#include "oracle/plan/busiest_rows.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "oracle/plan/promotion.h"

namespace oracle {

std::string_view name_of(Phase phase) {
  constexpr std::array<std::string_view, kPhaseCount> kNames = {"forward", "backward", "exchange",
                                                                "update"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::string_view name_of(Payload payload) {
  constexpr std::array<std::string_view, kPayloadCount> kNames = {
      "activation", "activation gradient", "weight gradient", "statistics",
      "weight",     "compressed gradient"};
  return kNames[static_cast<std::size_t>(payload)];
}

std::string_view name_of(CompressionStep step) {
  constexpr std::array<std::string_view, kCompressionStepCount> kNames = {"compress", "reduce",
                                                                          "restore"};
  return kNames[static_cast<std::size_t>(step)];
}

Shape Piece::read() const {
  Shape shape = input;
  for (std::size_t s = 0; s < halo.size(); ++s) shape[kSpatialAxes[s]] += halo[s];
  return shape;
}

std::int64_t Plan::ranks() const { return strategy.ranks(); }

std::int64_t Plan::group_size(AxisSet axes) const {
  std::int64_t size = 1;
  for (std::size_t a = 0; a < degrees.size(); ++a) {
    if ((axes >> a) & 1U) size *= degrees[a];
  }
  return size;
}

std::uint32_t Stage::update_item() const {
  for (auto i = static_cast<std::uint32_t>(items.size()); i-- > backward_end.items;) {
    if (items[i].phase == Phase::update) return i;
  }
  return kNoItem;
}

PipelineForm Plan::pipeline() const {
  const auto count = static_cast<std::int64_t>(stages.size());
  const bool together =
      strategy.expert_overlap && std::any_of(stages.begin(), stages.end(), [](const Stage& stage) {
        return !stage.expert_messages.empty();
      });
  return {strategy.schedule, count / strategy.chunks, strategy.chunks, strategy.micro_batches,
          together};
}

AxisSet Plan::axes_of_holders(LayerId id) const {
  return gradient_axes(assignment.effects[id]) & ~replica_axes;
}

std::int64_t Plan::in_shards(LayerId id, std::int64_t elements) const {
  const std::int64_t count = shards(id);
  return (elements + count - 1) / count * count;
}

std::int64_t Plan::servers_asked() const { return chosen_exchange(strategy.exchange).servers(); }

std::int64_t Plan::micro_batch_samples() const {
  return (training.batch + strategy.micro_batches - 1) / strategy.micro_batches;
}

Bytes sent_bytes(Collective collective, Bytes buffer, std::int64_t n) {
  const double others = static_cast<double>(n - 1) / static_cast<double>(n);
  switch (collective) {
    case Collective::all_reduce:
      return buffer * (2 * others);
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::all_to_all:
      return buffer * others;
    case Collective::send_receive:
    case Collective::halo_exchange:
    case Collective::ring_pass:
    case Collective::to_host:
    case Collective::from_host:
      break;
    case Collective::butterfly:
      return buffer * std::log2(static_cast<double>(n));
    case Collective::push:
    case Collective::pull:
      throw Defect("what servers send depends on how many they are");
  }
  return buffer;
}

Bytes sent_bytes(const Transfer& transfer, std::int64_t n) {
  const auto parts = static_cast<double>(transfer.servers), others = static_cast<double>(n - 1);
  if (transfer.collective == Collective::push) {
    return transfer.bytes * (std::min(parts, others) / parts);
  }
  if (transfer.collective == Collective::pull) return transfer.bytes * (others / parts);
  return sent_bytes(transfer.collective, transfer.bytes, n);
}

Transfer message_of(const Graph& graph, const Plan& plan, LayerId layer, Payload payload) {
  const Piece& piece = plan.pieces[layer];
  const Layout& layout =
      payload == Payload::activation ? piece.output_layout : piece.gradient_layout;
  const std::int64_t elements = local_elements(graph[layer].output, plan.micro_batch_samples(),
                                               layout, plan.degrees, graph[layer].grain);
  const double each = value_bytes(graph, plan, layer);
  const RowsHeld rows = rows_held(graph, plan.strategy, plan.degrees, layer, layout);
  return {Collective::send_receive, plan.pipeline_axes,
          Bytes{each * rows.of(static_cast<double>(elements))}, payload, layer};
}

}  // namespace oracle
