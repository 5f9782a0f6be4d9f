#include "validate/executor/bucket_exchange.h"

#include <algorithm>

namespace oracle {

BucketExchange::BucketExchange(const TrainedLayers& trained, const StateShards& shards,
                               Backend& backend, Communicator& communicator,
                               const RankGroups& groups, SteppedExchange* stepped)
    : trained_(trained),
      shards_(shards),
      backend_(backend),
      communicator_(communicator),
      groups_(groups),
      type_(backend.element()),
      element_(static_cast<std::int64_t>(element_bytes(type_))),
      stepped_(stepped) {}

template <typename Visit>
void BucketExchange::for_each_gradient(const GradientBucket& bucket, std::byte* begin,
                                       Visit visit) const {
  for (const LayerId id : bucket.layers) {
    Weights& weights = *trained_.find(id);
    std::byte* next = begin;
    for (std::size_t i = 0; i < trained_.parameters(id); ++i) {
      visit(weights, i, next);
      next += weights.elements(i) * element_;
    }
    begin += shards_.all_parts(id) * element_;
  }
}

/// A rank may hold less than the plan counts: a bias that another adds.
std::int64_t BucketExchange::elements(const GradientBucket& bucket) const {
  std::int64_t held = 0;
  for (const LayerId id : bucket.layers) held += shards_.all_parts(id);
  return std::max(bucket.elements, held);
}

double BucketExchange::sent_bytes(const GradientBucket& bucket) const {
  const Bytes bytes{static_cast<double>(elements(bucket) * element_)};
  const Collective how = in_shards(bucket) ? Collective::reduce_scatter : Collective::all_reduce;
  return oracle::sent_bytes(how, bytes, groups_.at(bucket.axes).size).value;
}

double BucketExchange::sent_to_replicas(const GradientBucket& bucket) const {
  const auto all = static_cast<double>(elements(bucket) * element_);
  const Bytes shard{all / static_cast<double>(groups_.at(bucket.axes).size)};
  return oracle::sent_bytes(Collective::all_reduce, shard, groups_.at(bucket.replica_axes).size)
      .value;
}

void BucketExchange::count_bytes(const GradientBucket& bucket,
                                 std::vector<double>& item_bytes) const {
  if (stepped_) return stepped_->count_bytes(bucket, item_bytes);
  item_bytes[bucket.item] += sent_bytes(bucket);
  if (bucket.replica_axes != 0) item_bytes[bucket.replica_item] += sent_to_replicas(bucket);
}

std::uint32_t BucketExchange::item() const {
  if (stepped_) return stepped_->item();
  return summed_ ? first().replica_item : first().item;
}

void BucketExchange::add(const GradientBucket& bucket) {
  waiting_.push_back(&bucket);
  if (waiting_.size() == 1) start();
}

void BucketExchange::start() {
  const GradientBucket& bucket = first();
  if (stepped_) return stepped_->start(bucket);
  const std::int64_t count = elements(bucket);
  buffer_ = backend_.buffer(count * element_);
  auto* begin = static_cast<std::byte*>(buffer_->data());
  if (in_shards(bucket)) return start_scatter(bucket);
  std::byte* end = begin;
  for_each_gradient(bucket, begin, [&](const Weights& weights, std::size_t i, std::byte* to) {
    weights.pack_gradient(i, to);
    end = to + weights.elements(i) * element_;
  });
  buffer_->zero(end - begin, begin + count * element_ - end);
  tickets_ = {communicator_.start_all_reduce(groups_.at(bucket.axes).id, begin, count, type_,
                                             "gradient bucket")};
}

/// As many gradients make room as the sums take, so that no more is held than of an all_reduce.
void BucketExchange::start_scatter(const GradientBucket& bucket) {
  buffer_->zero(0, buffer_->bytes());
  auto* from = static_cast<std::byte*>(buffer_->data());
  for_each_gradient(bucket, from, [](const Weights& weights, std::size_t i, std::byte* to) {
    weights.pack_gradient(i, to);
  });
  std::int64_t sums = 0, dropped = 0;
  for (const LayerId id : bucket.layers) sums += shards_.part(id);
  for (const LayerId id : bucket.layers) {
    if (dropped >= sums) break;
    trained_.find(id)->drop_gradients();
    dropped += trained_.elements(id);
  }
  taken_ = backend_.buffer(sums * element_);
  auto* to = static_cast<std::byte*>(taken_->data());
  tickets_.clear();
  for (const LayerId id : bucket.layers) {
    tickets_.push_back(communicator_.start_reduce_scatter(
        groups_.at(bucket.axes).id, from, to, shards_.part(id), type_, "gradient bucket"));
    from += shards_.all_parts(id) * element_;
    to += shards_.part(id) * element_;
  }
}

void BucketExchange::take_own_shards(const GradientBucket& bucket) {
  auto* whole = static_cast<std::byte*>(buffer_->data());
  const auto* sum = static_cast<const std::byte*>(taken_->data());
  for (const LayerId id : bucket.layers) {
    const std::int64_t bytes = shards_.part(id) * element_;
    std::copy_n(sum, bytes, whole + shards_.own(id) * bytes);
    whole += shards_.all_parts(id) * element_;
    sum += bytes;
  }
  taken_.reset();
}

void BucketExchange::collect() {
  if (taken_) take_own_shards(first());
  for_each_gradient(first(), static_cast<std::byte*>(buffer_->data()),
                    [](Weights& weights, std::size_t i, const std::byte* from) {
                      weights.unpack_gradient(i, from);
                    });
  buffer_.reset();
  summed_ = false;
  waiting_.pop_front();
  if (under_way()) start();
}

void BucketExchange::arrived() {
  const AxisSet replicas = first().replica_axes;
  if (replicas == 0 || summed_) return collect();
  summed_ = true;
  std::int64_t count = 0;
  for (const LayerId id : first().layers) count += shards_.part(id);
  tickets_ = {communicator_.start_all_reduce(groups_.at(replicas).id, taken_->data(), count, type_,
                                             "gradient shards")};
}

void BucketExchange::advance() {
  if (stepped_) {
    if (computes() || (under_way() && stepped_->arrived())) finish_first();
    return;
  }
  const auto done = [this](Ticket ticket) { return communicator_.done(ticket); };
  if (under_way() && std::all_of(tickets_.begin(), tickets_.end(), done)) finish_first();
}

void BucketExchange::finish_first() {
  if (stepped_) {
    if (!stepped_->proceed()) return;
    waiting_.pop_front();
    if (under_way()) start();
    return;
  }
  for (const Ticket ticket : tickets_) communicator_.wait(ticket);
  arrived();
}

}  // namespace oracle
