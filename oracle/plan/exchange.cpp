#include "oracle/plan/exchange.h"

#include <algorithm>
#include <array>

#include "oracle/plan/exchanges/compressed_bucket.h"
#include "oracle/plan/exchanges/servers.h"
#include "oracle/plan/item_list.h"
#include "oracle/plan/strategy/resolve.h"

namespace oracle {

namespace {

/// The sums into shards, and those of equal shards over replicas; either may have no ranks.
std::array<Transfer, 2> in_shards(const Transfer& sum, const Strategy& strategy, AxisSet replicas) {
  Transfer scatter = sum, rest = sum;
  scatter.collective = Collective::reduce_scatter;
  scatter.axes &= ~replicas;
  rest.axes &= replicas;
  for (std::size_t a = 0; a < strategy.mesh.size(); ++a) {
    if ((scatter.axes >> a & 1U) != 0) {
      rest.bytes = rest.bytes / static_cast<double>(strategy.mesh[a].degree);
    }
  }
  return {scatter, rest};
}

/// Each step needs the one before it.
class BucketWriter {
 public:
  BucketWriter(Stage& stage, const Bucket& bucket, std::span<const std::uint32_t> needs)
      : stage_(stage), bucket_(bucket), needs_(needs) {}

  void add(const Action& step) {
    before_ = append_item(stage_, step, Phase::exchange,
                          before_ == kNoItem ? needs_ : std::span(&before_, 1));
    stage_.items.back().reads = stage_.items.back().writes = bucket_.gradients;
  }

 private:
  Stage& stage_;
  const Bucket& bucket_;
  std::span<const std::uint32_t> needs_;
  std::uint32_t before_ = kNoItem;
};

/// Weights travel once they are updated.
void append_weights(Stage& stage, const Bucket& bucket, const Transfer& transfer,
                    std::int64_t period, std::uint32_t update) {
  append_item(stage, transfer, Phase::exchange, std::span(&update, 1));
  stage.items.back().reads = stage.items.back().writes = bucket.gradients;
  stage.items.back().every = period;
}

/// They are averaged as their gradients would be summed.
Transfer average_of(const Bucket& bucket) {
  Transfer average = bucket.transfer;
  average.payload = Payload::weight;
  return average;
}

std::int64_t ranks_along(const Strategy& strategy, AxisSet axes) {
  std::int64_t ranks = 1;
  for (std::size_t a = 0; a < strategy.mesh.size(); ++a) {
    if ((axes >> a & 1U) != 0) ranks *= strategy.mesh[a].degree;
  }
  return ranks;
}

}  // namespace

void emit_exchange(const Strategy& strategy, Stage& stage, Buckets& buckets) {
  const BackwardEnd& end = stage.backward_end;
  stage.items.resize(end.items);
  stage.needs.resize(end.needs);
  if (end.gradients.empty()) return;
  stage.items.reserve(end.items + end.most_items());
  // An exchange needs three items at most, the update every exchange and three more.
  stage.needs.reserve(end.needs + 4 * end.most_items());

  const AxisSet replicas = strategy.zero > 0 ? replica_axes(strategy) : AxisSet{0};
  buckets.restart(strategy.bucket, end.gradients.size());
  const bool on_host = strategy.offload.optimizer;
  for (const Gradient& gradient : end.gradients) {
    if (gradient.axes != 0 || on_host) buckets.add(gradient);
  }
  const std::array<std::uint32_t, 3> all = {end.last_work, end.last_transfer, end.last_sum};
  const ChosenExchange exchange = chosen_exchange(strategy.exchange);
  const std::span<const Bucket> full = buckets.finish(), none;
  const auto served = [&](const Bucket& bucket) {
    return ServedBucket(exchange.servers(), bucket.transfer, end.value_bytes,
                        ranks_along(strategy, bucket.transfer.axes), !strategy.waits_for_all());
  };
  for (const Bucket& bucket : exchange.averages() ? none : full) {
    const std::array<std::uint32_t, 2> own = {bucket.ready_after, bucket.summed_after};
    BucketWriter writer(stage, bucket,
                        strategy.overlap ? std::span<const std::uint32_t>(own) : all);
    if (bucket.transfer.axes == 0) {
      // Each rank has its own.
    } else if (exchange.compresses()) {
      const CompressedBucket compressed(exchange, bucket.transfer, end.value_bytes,
                                        ranks_along(strategy, bucket.transfer.axes));
      for (const Action& step : compressed.steps()) writer.add(step);
    } else if (exchange.servers() > 0) {
      const ServedBucket through_servers = served(bucket);
      for (const Action& step : through_servers.steps()) writer.add(step);
    } else if (strategy.zero > 0) {
      for (const Transfer& step : in_shards(bucket.transfer, strategy, replicas)) {
        if (step.axes != 0) writer.add(step);
      }
    } else {
      writer.add(bucket.transfer);
    }
    if (on_host) {
      writer.add(Transfer{Collective::to_host, 0, bucket.to_host, Payload::weight_gradient,
                          bucket.transfer.layer});
    }
  }
  for (const Transfer& copy : end.copies) append_item(stage, copy, Phase::exchange, all);
  const auto exchanges_end = static_cast<std::uint32_t>(stage.items.size());
  append_item(stage, Work{kAllLayers, Pass::update}, Phase::update, all);
  stage.items.back().reads = end.all;
  if (!strategy.waits_for_all()) stage.items.back().times = strategy.ranks();
  for (std::uint32_t item = end.items; item < exchanges_end; ++item) add_need(stage, item);
  std::uint32_t updated = exchanges_end;
  if (on_host) {
    Transfer weights{Collective::from_host, 0, {}, Payload::weight, end.gradients.front().layer};
    for (const Gradient& gradient : end.gradients) weights.bytes += gradient.on_host.weights;
    updated = append_item(stage, weights, Phase::exchange, std::span(&exchanges_end, 1));
  }
  for (const Transfer& gather : end.gathers) {
    append_item(stage, gather, Phase::exchange, std::span(&updated, 1));
  }
  for (const Bucket& bucket : exchange.averages() ? full : none) {
    append_weights(stage, bucket, average_of(bucket), exchange.period(), exchanges_end);
  }
  for (const Bucket& bucket : exchange.servers() > 0 ? full : none) {
    append_weights(stage, bucket, served(bucket).pull(), 1, exchanges_end);
  }
}

void list_copies(const Plan& plan, Stage& stage) {
  BackwardEnd& end = stage.backward_end;
  for (const WeightCopy& copy : plan.copies) {
    if (!stage.has(copy.user) && !stage.has(copy.owner)) continue;
    end.copies.push_back({Collective::send_receive, plan.pipeline_axes,
                          Bytes{end.value_bytes * static_cast<double>(copy.elements)},
                          Payload::weight_gradient, stage.has(copy.user) ? copy.user : copy.owner});
  }
}

void list_gradients(Stage& stage) {
  BackwardEnd& end = stage.backward_end;
  std::vector<TensorId>& operands = stage.operands;
  end.all.first = static_cast<std::uint32_t>(operands.size());
  for (const Gradient& gradient : end.gradients) {
    const std::uint32_t sum = gradient.summed_after;
    if (sum != kNoItem && (end.last_sum == kNoItem || sum > end.last_sum)) end.last_sum = sum;
  }
  std::vector<bool> listed(end.gradients.size(), false);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    for (std::size_t j = listed[i] ? listed.size() : i; j < listed.size(); ++j) {
      Gradient& gradient = end.gradients[j];
      if (listed[j] || gradient.axes != end.gradients[i].axes) continue;
      listed[j] = true;
      operands.push_back(gradient.operand);
      gradient.operand = static_cast<std::uint32_t>(operands.size() - 1);
    }
  }
  end.all.count = static_cast<std::uint32_t>(operands.size()) - end.all.first;
}

void Buckets::restart(Bytes least, std::size_t gradients) {
  least_ = least;
  open_.clear();
  full_.clear();
  open_.reserve(gradients);
  full_.reserve(gradients);
}

void Buckets::add(const Gradient& gradient) {
  const AxisSet axes = gradient.axes;
  if (gradient.bytes.value <= 0) return;
  auto bucket = std::find_if(open_.begin(), open_.end(),
                             [&](const Bucket& open) { return open.transfer.axes == axes; });
  if (bucket == open_.end()) {
    open_.push_back({});
    bucket = open_.end() - 1;
    bucket->transfer = {Collective::all_reduce, axes, Bytes{}, Payload::weight_gradient,
                        gradient.layer};
    bucket->gradients.first = gradient.operand;
  }
  bucket->transfer.bytes += gradient.bytes;
  bucket->transfer.layer = gradient.layer;
  bucket->ready_after = gradient.ready_after;
  if (gradient.summed_after != kNoItem) bucket->summed_after = gradient.summed_after;
  bucket->to_host += gradient.on_host.gradient;
  bucket->gradients.count = gradient.operand + 1 - bucket->gradients.first;
  if (bucket->transfer.bytes >= least_) {
    full_.push_back(*bucket);
    open_.erase(bucket);
  }
}

std::span<const Bucket> Buckets::finish() {
  for (const Bucket& rest : open_) {
    const auto later = std::upper_bound(
        full_.begin(), full_.end(), rest.ready_after,
        [](std::uint32_t item, const Bucket& full) { return item < full.ready_after; });
    full_.insert(later, rest);
  }
  open_.clear();
  return full_;
}

}  // namespace oracle
