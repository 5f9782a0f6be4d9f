#include "validate/executor/compressed_exchange.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/plan/exchanges/compressed_bucket.h"
#include "validate/executor/state_shards.h"

namespace oracle {
namespace {

constexpr const char* kLabel = "compressed gradients";

std::span<float> floats_of(Buffer& buffer) {
  return {static_cast<float*>(buffer.data()),
          static_cast<std::size_t>(buffer.bytes() / kFloatBytes)};
}

std::byte* bytes_of(Buffer& buffer) { return static_cast<std::byte*>(buffer.data()); }

}  // namespace

CompressedExchange::CompressedExchange(const ChosenExchange& exchange, const TrainedLayers& trained,
                                       Backend& backend, Communicator& communicator,
                                       const RankGroups& groups)
    : exchange_(exchange),
      codec_(codec_named(exchange.row->name)),
      trained_(trained),
      backend_(backend),
      communicator_(communicator),
      groups_(groups) {
  if (backend.shards_state()) return;
  throw InputError("--strategy",
                   "the back end \"" + std::string(backend.name()) + "\" compresses no gradients",
                   "leave out exchange=" + std::string(exchange.row->name));
}

/// A rank may hold less than the plan counts: a bias that another adds.
std::int64_t CompressedExchange::elements(const GradientBucket& bucket) const {
  std::int64_t held = 0;
  for (const LayerId id : bucket.layers) held += trained_.elements(id);
  return std::max(bucket.elements, held);
}

std::int64_t CompressedExchange::packed(const GradientBucket& bucket) const {
  const std::int64_t all = elements(bucket);
  return exchange_.packed(scatters() ? part_of(all, groups_.at(bucket.axes).size) : all);
}

void CompressedExchange::count_bytes(const GradientBucket& bucket,
                                     std::vector<double>& item_bytes) const {
  const std::int64_t ranks = groups_.at(bucket.axes).size;
  for (const ExchangeStep& step : bucket.steps) {
    const auto* collective = std::get_if<Collective>(&step.what);
    if (collective == nullptr) continue;
    const std::int64_t pieces = *collective == Collective::all_reduce ? 1 : ranks;
    const Bytes buffer{static_cast<double>(pieces * packed(bucket))};
    item_bytes[step.item] += sent_bytes(*collective, buffer, ranks).value;
  }
}

CompressedExchange::Floats CompressedExchange::piece(Floats values, std::int64_t number) const {
  const std::int64_t all = elements(*bucket_);
  const std::int64_t part = scatters() ? part_of(all, ranks()) : all;
  const std::int64_t begin = std::min(number * part, all);
  return values.subspan(static_cast<std::size_t>(begin),
                        static_cast<std::size_t>(std::min(part, all - begin)));
}

std::unique_ptr<Buffer> CompressedExchange::zeros(std::int64_t bytes) const {
  auto made = backend_.buffer(bytes);
  made->zero(0, bytes);
  return made;
}

template <typename Visit>
void CompressedExchange::for_each_gradient(float* begin, Visit visit) const {
  for (const LayerId id : bucket_->layers) {
    Weights& weights = *trained_.find(id);
    for (std::size_t i = 0; i < trained_.parameters(id); ++i) {
      visit(weights, i, begin);
      begin += weights.elements(i);
    }
  }
}

void CompressedExchange::start(const GradientBucket& bucket) {
  bucket_ = &bucket;
  next_ = 0;
}

bool CompressedExchange::proceed() {
  if (waits()) {
    communicator_.wait(ticket_);
    if (arrived_ == nullptr) std::swap(given_, arrived_);
    given_.reset();
  } else {
    take(std::get<CompressionStep>(step().what));
  }
  if (++next_ == bucket_->steps.size()) return true;
  if (waits()) send(std::get<Collective>(step().what));
  return false;
}

void CompressedExchange::take(CompressionStep step) {
  switch (step) {
    case CompressionStep::compress:
      return compress();
    case CompressionStep::reduce:
      return reduce();
    case CompressionStep::restore:
      return restore();
  }
}

void CompressedExchange::compress() {
  const std::int64_t all = elements(*bucket_);
  auto values = zeros(all * kFloatBytes);
  for_each_gradient(floats_of(*values).data(), [](const Weights& weights, std::size_t i,
                                                  float* to) { weights.pack_gradient(i, to); });
  given_ = zeros(pieces() * packed(*bucket_));
  Floats all_values = floats_of(*values);
  if (exchange_.row->feedback) {
    auto& unsent = unsent_[bucket_].gradients;
    if (unsent == nullptr) unsent = zeros(all * kFloatBytes);
    const Floats sum = floats_of(*unsent);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += all_values[i];
    all_values = sum;
  }
  for (std::int64_t i = 0; i < pieces(); ++i) {
    codec_.compress(piece(all_values, i), exchange_.parameter,
                    bytes_of(*given_) + i * packed(*bucket_));
  }
}

void CompressedExchange::reduce() {
  const RankGroup& group = groups_.at(bucket_->axes);
  const auto own = std::find(group.ranks.begin(), group.ranks.end(), communicator_.rank());
  const std::int64_t part = part_of(elements(*bucket_), group.size);
  auto& unsent = unsent_[bucket_].sum;
  if (unsent == nullptr) unsent = zeros(part * kFloatBytes);
  const Floats sum = floats_of(*unsent).first(
      piece(floats_of(*unsent_[bucket_].gradients), own - group.ranks.begin()).size());
  for (std::int64_t i = 0; i < group.size; ++i) {
    codec_.add(bytes_of(*arrived_) + i * packed(*bucket_), exchange_.parameter, sum);
  }
  given_ = zeros(packed(*bucket_));
  codec_.compress(sum, exchange_.parameter, bytes_of(*given_));
  arrived_.reset();
}

void CompressedExchange::restore() {
  const std::int64_t sent = packed(*bucket_);
  auto values = zeros(elements(*bucket_) * kFloatBytes);
  const Floats sum = floats_of(*values);
  for (std::int64_t i = 0; i * sent < arrived_->bytes(); ++i) {
    codec_.add(bytes_of(*arrived_) + i * sent, exchange_.parameter,
               scatters() ? piece(sum, i) : sum);
  }
  arrived_.reset();
  for_each_gradient(sum.data(), [](Weights& weights, std::size_t i, const float* from) {
    weights.unpack_gradient(i, from);
  });
}

void CompressedExchange::send(Collective collective) {
  const RankGroup& group = groups_.at(bucket_->axes);
  const std::int64_t sent =
      packed(*bucket_) / static_cast<std::int64_t>(element_bytes(codec_.element));
  if (collective == Collective::all_reduce) {
    ticket_ =
        communicator_.start_all_reduce(group.id, given_->data(), sent, codec_.element, kLabel);
    return;
  }
  arrived_ = backend_.buffer(group.size * packed(*bucket_));
  ticket_ = collective == Collective::all_to_all
                ? communicator_.start_all_to_all(group.id, given_->data(), arrived_->data(), sent,
                                                 codec_.element, kLabel)
                : communicator_.start_all_gather(group.id, given_->data(), arrived_->data(), sent,
                                                 codec_.element, kLabel);
}

}  // namespace oracle
