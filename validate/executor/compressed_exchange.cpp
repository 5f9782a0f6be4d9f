#include "validate/executor/compressed_exchange.h"

#include <utility>

#include "oracle/base/error.h"
#include "oracle/plan/exchanges/compressed_bucket.h"
#include "validate/executor/bucket_values.h"

namespace oracle {
namespace {

constexpr const char* kLabel = "compressed gradients";

}  // namespace

CompressedExchange::CompressedExchange(const ChosenExchange& exchange,
                                       const std::vector<GradientBucket>& buckets,
                                       const TrainedLayers& trained, Backend& backend,
                                       Communicator& communicator, const RankGroups& groups)
    : exchange_(exchange),
      trained_(trained),
      backend_(backend),
      communicator_(communicator),
      groups_(groups) {
  if (!backend.shards_state()) {
    throw InputError("--strategy",
                     "the back end \"" + std::string(backend.name()) + "\" compresses no gradients",
                     "leave out exchange=" + std::string(exchange.row->name));
  }
  for (const GradientBucket& bucket : buckets) buckets_.emplace(&bucket, gradients_of(bucket));
}

CompressedGradients CompressedExchange::gradients_of(const GradientBucket& bucket) const {
  std::vector<CompressedGradients::Gradient> gradients;
  for (const LayerId id : bucket.layers) {
    for (std::size_t i = 0; i < trained_.parameters(id); ++i) {
      gradients.push_back({trained_.find(id), i});
    }
  }
  const RankGroup& group = groups_.at(bucket.axes);
  return {exchange_,
          std::move(gradients),
          elements_of(bucket.layers, trained_, bucket.elements),
          {group.place_of(communicator_.rank()), group.size},
          backend_};
}

void CompressedExchange::count_bytes(const GradientBucket& bucket,
                                     std::vector<double>& item_bytes) const {
  const CompressedGradients& gradients = buckets_.at(&bucket);
  const std::int64_t ranks = groups_.at(bucket.axes).size;
  bool sketched = false;
  for (const ExchangeStep& step : bucket.steps) {
    const auto* collective = std::get_if<Collective>(&step.what);
    if (collective == nullptr) continue;
    const bool whole =
        *collective == Collective::all_reduce || *collective == Collective::butterfly;
    const std::int64_t pieces = whole ? 1 : ranks;
    const std::int64_t part = sketched ? gradients.chosen_bytes() : gradients.packed();
    const Bytes buffer{static_cast<double>(pieces * part)};
    sketched = gradients.finds();
    item_bytes[step.item] += oracle::sent_bytes(*collective, buffer, ranks).value;
  }
}

void CompressedExchange::start(const GradientBucket& bucket) {
  bucket_ = &bucket;
  gradients_ = &buckets_.at(&bucket);
  next_ = 0;
  distance_ = 1;
}

bool CompressedExchange::proceed() {
  // A swap and its merge stand for all of them.
  bool again = false;
  if (waits()) {
    communicator_.wait(ticket_);
    gradients_->arrive();
  } else {
    const CompressionStep due = std::get<CompressionStep>(step().what);
    gradients_->take(due);
    if (gradients_->merges() && due == CompressionStep::reduce) {
      distance_ *= 2;
      again = distance_ < group().size;
    }
  }
  again ? --next_ : ++next_;
  if (next_ == bucket_->steps.size()) return true;
  if (waits()) send(std::get<Collective>(step().what));
  return false;
}

void CompressedExchange::send(Collective collective) {
  const std::int64_t packed = gradients_->packed();
  const Element element = gradients_->element();
  const auto count_of = [&](std::int64_t bytes) {
    return bytes / static_cast<std::int64_t>(element_bytes(element));
  };
  void* given = gradients_->given().data();
  if (collective == Collective::all_reduce) {
    ticket_ = communicator_.start_all_reduce(
        group().id, given, count_of(gradients_->given().bytes()), element, kLabel);
    return;
  }
  if (collective == Collective::butterfly) {
    const auto partner = static_cast<int>(group().place_of(communicator_.rank()) ^ distance_);
    const Peer to{partner, given, count_of(packed)};
    const Peer from{partner, gradients_->make_room(packed).data(), count_of(packed)};
    ticket_ = communicator_.start_group_messages(group().id, {&to, 1}, {&from, 1}, element, kLabel);
    return;
  }
  void* arriving = gradients_->make_room(group().size * packed).data();
  ticket_ = collective == Collective::all_to_all
                ? communicator_.start_all_to_all(group().id, given, arriving, count_of(packed),
                                                 element, kLabel)
                : communicator_.start_all_gather(group().id, given, arriving, count_of(packed),
                                                 element, kLabel);
}

void CompressedExchange::packs_as_kept() {
  for (auto& [bucket, gradients] : buckets_) gradients.pack_as_kept();
}

}  // namespace oracle
