#include "oracle/plan/exchange.h"

#include <algorithm>
#include <array>

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

/// Each step of the sum needs the one before it.
void append_bucket(Stage& stage, const Bucket& bucket, std::span<const std::uint32_t> needs,
                   const std::array<Transfer, 2>& steps) {
  std::uint32_t before = kNoItem;
  for (const Transfer& step : steps) {
    if (step.axes == 0) continue;
    before = append_item(stage, step, Phase::exchange,
                         before == kNoItem ? needs : std::span(&before, 1));
    stage.items.back().reads = stage.items.back().writes = bucket.gradients;
  }
}

}  // namespace

void emit_exchange(const Strategy& strategy, Stage& stage, Buckets& buckets) {
  const BackwardEnd& end = stage.backward_end;
  stage.items.resize(end.items);
  stage.needs.resize(end.needs);
  if (end.gradients.empty()) return;
  stage.items.reserve(end.items + end.most_items());
  // An exchange needs two items at most, the update every exchange and two more.
  stage.needs.reserve(end.needs + 3 * end.most_items());

  const AxisSet replicas = strategy.zero > 0 ? replica_axes(strategy) : AxisSet{0};
  buckets.restart(strategy.bucket, end.gradients.size());
  for (const Gradient& gradient : end.gradients) {
    buckets.add(gradient);
  }
  const std::array<std::uint32_t, 2> all = {end.last_work, end.last_transfer};
  for (const Bucket& bucket : buckets.finish()) {
    const std::span own(&bucket.ready_after, 1);
    append_bucket(stage, bucket, strategy.overlap ? own : std::span(all),
                  strategy.zero > 0 ? in_shards(bucket.transfer, strategy, replicas)
                                    : std::array<Transfer, 2>{bucket.transfer});
  }
  for (const Transfer& copy : end.copies) append_item(stage, copy, Phase::exchange, all);
  const auto exchanges_end = static_cast<std::uint32_t>(stage.items.size());
  append_item(stage, Work{kAllLayers, Pass::update}, Phase::update, all);
  stage.items.back().reads = end.all;
  for (std::uint32_t item = end.items; item < exchanges_end; ++item) add_need(stage, item);
  for (const Transfer& gather : end.gathers) {
    append_item(stage, gather, Phase::exchange, std::span(&exchanges_end, 1));
  }
}

void list_gradients(Stage& stage) {
  BackwardEnd& end = stage.backward_end;
  std::vector<TensorId>& operands = stage.operands;
  end.all.first = static_cast<std::uint32_t>(operands.size());
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
  if (axes == 0 || gradient.bytes.value <= 0) return;
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
  bucket->gradients.count = gradient.operand + 1 - bucket->gradients.first;
  if (bucket->transfer.bytes >= least_) {
    full_.push_back(*bucket);
    open_.erase(bucket);
  }
}

std::span<const Bucket> Buckets::finish() {
  std::sort(open_.begin(), open_.end(),
            [](const Bucket& a, const Bucket& b) { return a.ready_after < b.ready_after; });
  full_.insert(full_.end(), open_.begin(), open_.end());
  open_.clear();
  return full_;
}

}  // namespace oracle
