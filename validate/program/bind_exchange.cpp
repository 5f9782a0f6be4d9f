#include "validate/program/bind_exchange.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/plan/weight_shards.h"

namespace oracle {

std::vector<LayerId> layers_of(const Stage& stage, std::span<const TensorId> gradients) {
  std::vector<LayerId> layers;
  for (const TensorId gradient : gradients) layers.push_back(stage.tensors[gradient].layer);
  return layers;
}

std::vector<StatisticsSum> statistics_read(const Pieces& pieces, const NumberedStage& numbered,
                                           std::span<const TensorId> reads, LayerId id, int rank) {
  const Stage& stage = numbered.stage;
  std::vector<StatisticsSum> sums;
  for (const TensorId read : reads) {
    if (stage.tensors[read].role != Role::statistics) continue;
    StatisticsSum& sum = sums.emplace_back();
    // Of a loss the first is the largest score.
    sum.largest = pieces.graph()[id].is_loss() && sums.size() == 1;
    const std::uint32_t made_by = stage.tensors[read].made_by;
    sum.item = numbered.number_of(made_by);
    sum.axes = std::get<Transfer>(stage.items[made_by].what).axes;
    for (const int member : pieces.mesh().group_of(rank, sum.axes)) {
      const Extents part = pieces.output(id, member).extents();
      sum.count += static_cast<double>(part.elements()) / static_cast<double>(part.channels);
    }
  }
  return sums;
}

WeightGather gather_of(const Pieces& pieces, const Transfer& transfer, const LayerSpan& unit,
                       std::uint32_t item) {
  return {transfer.axes, layers_in_shards(pieces.graph(), pieces.plan(), unit, transfer.axes),
          item};
}

decltype(Operation::what) sum_of(const Stage& stage, const Transfer& transfer,
                                 std::span<const TensorId> reads, std::vector<Operation>& before) {
  if (transfer.collective != Collective::all_reduce) {
    return GradientScatter{transfer.axes, layers_of(stage, reads)};
  }
  auto* scatter = std::get_if<GradientScatter>(&before.back().what);
  ensure(scatter != nullptr, "a sum over replicas follows a scatter");
  scatter->is_all = false;
  return ShardSum{transfer.axes, scatter->layers};
}

namespace {

/// Whether an item sums the shards that the one before it made.
bool sums_shards(const Stage& stage, std::uint32_t item) {
  const Operands& reads = stage.items[item].reads;
  const Operands& before = stage.items[item - 1].reads;
  return item > stage.backward_end.items && reads.first == before.first &&
         reads.count == before.count;
}

}  // namespace

void bind_exchange(const Pieces& pieces, const NumberedStage& numbered, Program& program) {
  const Plan& plan = pieces.plan();
  const Stage& stage = numbered.stage;
  const auto elements_of = [&](const Transfer& transfer) {
    return static_cast<std::int64_t>(transfer.bytes.value) /
           plan.training.precision.travelling_bytes();
  };
  const LayerSpan all{std::max<LayerId>(stage.first, 1), stage.last - 1};
  const auto add_bucket = [&](const Item& item, std::uint32_t number, std::int64_t elements) {
    GradientBucket bucket{0, layers_of(stage, stage.reads_of(item)), elements, number};
    if (plan.strategy.overlap) {
      bucket.ready_after = numbered.number_of(stage.needs_of(item).front());
    }
    program.buckets.push_back(std::move(bucket));
  };
  std::size_t pulled = program.buckets.size();
  for (std::uint32_t i = stage.backward_end.items; i < stage.items.size(); ++i) {
    const Item& item = stage.items[i];
    const std::uint32_t number = numbered.number_of(i);
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (const auto* step = std::get_if<Compression>(&item.what)) {
      if (step->step == CompressionStep::compress) add_bucket(item, number, step->elements);
      program.buckets.back().steps.push_back({number, step->step});
    } else if (transfer == nullptr) {
      program.updates.push_back({all, number});
    } else if (transfer->collective == Collective::push) {
      add_bucket(item, number, elements_of(*transfer));
      program.buckets.back().axes = transfer->axes;
      program.buckets.back().servers = transfer->servers;
      program.buckets.back().steps.push_back({number, transfer->collective});
    } else if (transfer->collective == Collective::pull) {
      program.buckets[pulled++].pull_item = number;
    } else if (transfer->payload == Payload::weight &&
               transfer->collective == Collective::all_reduce) {
      program.averages.push_back({transfer->axes, layers_of(stage, stage.reads_of(item)),
                                  elements_of(*transfer), item.every, number});
    } else if (transfer->payload == Payload::weight) {
      program.updated_gathers.push_back(gather_of(pieces, *transfer, all, number));
    } else if (transfer->payload == Payload::compressed_gradient) {
      program.buckets.back().axes = transfer->axes;
      program.buckets.back().steps.push_back({number, transfer->collective});
    } else if (sums_shards(stage, i)) {
      program.buckets.back().replica_axes = transfer->axes;
      program.buckets.back().replica_item = number;
    } else {
      add_bucket(item, number, elements_of(*transfer));
      program.buckets.back().axes = transfer->axes;
    }
  }
}

}  // namespace oracle
