#include "validate/executor/bucket_exchange.h"

#include <algorithm>

namespace oracle {

BucketExchange::BucketExchange(const TrainedLayers& trained, Backend& backend,
                               Communicator& communicator, const RankGroups& groups)
    : trained_(trained),
      backend_(backend),
      communicator_(communicator),
      groups_(groups),
      type_(backend.element()),
      element_(static_cast<std::int64_t>(element_bytes(type_))) {}

template <typename Visit>
void BucketExchange::for_each_gradient(const GradientBucket& bucket, std::byte* begin,
                                       Visit visit) const {
  for (const LayerId id : bucket.layers) {
    Weights& weights = *trained_.find(id);
    for (std::size_t i = 0; i < trained_.parameters(id); ++i) {
      visit(weights, i, begin);
      begin += weights.elements(i) * element_;
    }
  }
}

/// A rank may hold less than the plan counts: a bias that another adds.
std::int64_t BucketExchange::elements(const GradientBucket& bucket) const {
  std::int64_t held = 0;
  for (const LayerId id : bucket.layers) held += trained_.elements(id);
  return std::max(bucket.elements, held);
}

double BucketExchange::sent_bytes(const GradientBucket& bucket) const {
  const Bytes bytes{static_cast<double>(elements(bucket) * element_)};
  return oracle::sent_bytes(Collective::all_reduce, bytes, groups_.at(bucket.axes).size).value;
}

void BucketExchange::add(const GradientBucket& bucket) {
  waiting_.push_back(&bucket);
  if (waiting_.size() == 1) start();
}

void BucketExchange::start() {
  const GradientBucket& bucket = first();
  const std::int64_t count = elements(bucket);
  buffer_ = backend_.buffer(count * element_);
  auto* begin = static_cast<std::byte*>(buffer_->data());
  std::byte* end = begin;
  for_each_gradient(bucket, begin, [&](const Weights& weights, std::size_t i, std::byte* to) {
    weights.pack_gradient(i, to);
    end = to + weights.elements(i) * element_;
  });
  buffer_->zero(end - begin, begin + count * element_ - end);
  ticket_ = communicator_.start_all_reduce(groups_.at(bucket.axes).id, begin, count, type_,
                                           "gradient bucket");
}

void BucketExchange::collect() {
  for_each_gradient(first(), static_cast<std::byte*>(buffer_->data()),
                    [](Weights& weights, std::size_t i, const std::byte* from) {
                      weights.unpack_gradient(i, from);
                    });
  buffer_.reset();
  waiting_.pop_front();
  if (under_way()) start();
}

void BucketExchange::advance() {
  if (under_way() && communicator_.done(ticket_)) finish_first();
}

void BucketExchange::finish_first() {
  communicator_.wait(ticket_);
  collect();
}

}  // namespace oracle
