#include "validate/executor/compressed_exchange.h"

#include <algorithm>
#include <utility>

#include "oracle/base/error.h"
#include "oracle/plan/exchanges/compressed_bucket.h"
#include "oracle/plan/exchanges/sparse.h"
#include "validate/executor/bucket_values.h"
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

std::int64_t CompressedExchange::elements(const GradientBucket& bucket) const {
  return elements_of(bucket.layers, trained_, bucket.elements);
}

std::int64_t CompressedExchange::packed(const GradientBucket& bucket) const {
  const std::int64_t all = elements(bucket);
  return exchange_.packed(scatters() ? part_of(all, groups_.at(bucket.axes).size) : all);
}

void CompressedExchange::count_bytes(const GradientBucket& bucket,
                                     std::vector<double>& item_bytes) const {
  const std::int64_t ranks = groups_.at(bucket.axes).size;
  bool sketched = false;
  for (const ExchangeStep& step : bucket.steps) {
    const auto* collective = std::get_if<Collective>(&step.what);
    if (collective == nullptr) continue;
    const bool whole =
        *collective == Collective::all_reduce || *collective == Collective::butterfly;
    const std::int64_t pieces = whole ? 1 : ranks;
    const std::int64_t part = sketched ? chosen_bytes(bucket) : packed(bucket);
    const Bytes buffer{static_cast<double>(pieces * part)};
    sketched = finds();
    item_bytes[step.item] += oracle::sent_bytes(*collective, buffer, ranks).value;
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

void CompressedExchange::start(const GradientBucket& bucket) {
  bucket_ = &bucket;
  next_ = 0;
  places_.clear();
  distance_ = 1;
}

bool CompressedExchange::proceed() {
  if (waits()) {
    communicator_.wait(ticket_);
    if (arrived_ == nullptr) std::swap(given_, arrived_);
    if (!merges()) given_.reset();
  } else {
    take(std::get<CompressionStep>(step().what));
  }
  // A swap and its merge stand for all of them.
  const bool again = merges() && arrived_ == nullptr && next_ > 0 && distance_ < ranks();
  again ? --next_ : ++next_;
  if (next_ == bucket_->steps.size()) return true;
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
  for_each_parameter(
      bucket_->layers, trained_, floats_of(*values).data(),
      [](const Weights& weights, std::size_t i, float* to) { weights.pack_gradient(i, to); });
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
  if (!merges()) return;
  sent_ = zeros(given_->bytes());
  std::copy_n(bytes_of(*given_), given_->bytes(), bytes_of(*sent_));
}

/// What this rank has so far and what its partner has.
void CompressedExchange::merge() {
  auto merged = zeros(packed(*bucket_));
  codec_.merge(bytes_of(*given_), bytes_of(*arrived_), elements(*bucket_), exchange_.parameter,
               bytes_of(*merged));
  given_ = std::move(merged);
  arrived_.reset();
  distance_ *= 2;
}

/// The last merge has come, and says what of this rank's own is not among it.
void CompressedExchange::take_back() {
  std::swap(given_, arrived_);
  codec_.take_back(bytes_of(*sent_), bytes_of(*arrived_), exchange_.parameter,
                   floats_of(*unsent_[bucket_].gradients));
  sent_.reset();
}

std::int64_t CompressedExchange::chosen_bytes(const GradientBucket& bucket) const {
  return kFloatBytes * kept_values(elements(bucket), exchange_.parameter);
}

/// Takes from this rank's own values those that are largest in the sum.
void CompressedExchange::choose() {
  const auto room = zeros(elements(*bucket_) * kFloatBytes);
  places_ = codec_.places(bytes_of(*arrived_), exchange_.parameter, floats_of(*room));
  arrived_.reset();
  given_ = zeros(chosen_bytes(*bucket_));
  const Floats chosen = floats_of(*given_), all = floats_of(*unsent_[bucket_].gradients);
  for (std::size_t i = 0; i < places_.size(); ++i) chosen[i] = std::exchange(all[places_[i]], 0.0F);
}

void CompressedExchange::reduce() {
  if (merges()) return merge();
  if (finds()) return choose();
  const RankGroup& group = groups_.at(bucket_->axes);
  const std::int64_t own = group.place_of(communicator_.rank());
  const std::int64_t part = part_of(elements(*bucket_), group.size);
  auto& unsent = unsent_[bucket_].sum;
  if (unsent == nullptr) unsent = zeros(part * kFloatBytes);
  const Floats sum =
      floats_of(*unsent).first(piece(floats_of(*unsent_[bucket_].gradients), own).size());
  for (std::int64_t i = 0; i < group.size; ++i) {
    codec_.add(bytes_of(*arrived_) + i * packed(*bucket_), exchange_.parameter, sum);
  }
  given_ = zeros(packed(*bucket_));
  codec_.compress(sum, exchange_.parameter, bytes_of(*given_));
  arrived_.reset();
}

void CompressedExchange::restore() {
  if (merges()) take_back();
  const std::int64_t sent = packed(*bucket_);
  auto values = zeros(elements(*bucket_) * kFloatBytes);
  const Floats sum = floats_of(*values);
  for (std::size_t i = 0; i < places_.size(); ++i) sum[places_[i]] = floats_of(*arrived_)[i];
  for (std::int64_t i = 0; !finds() && i * sent < arrived_->bytes(); ++i) {
    codec_.add(bytes_of(*arrived_) + i * sent, exchange_.parameter,
               scatters() ? piece(sum, i) : sum);
  }
  arrived_.reset();
  for_each_parameter(
      bucket_->layers, trained_, sum.data(),
      [](Weights& weights, std::size_t i, const float* from) { weights.unpack_gradient(i, from); });
}

void CompressedExchange::send(Collective collective) {
  const RankGroup& group = groups_.at(bucket_->axes);
  const std::int64_t bytes = places_.empty() ? packed(*bucket_) : given_->bytes();
  const std::int64_t sent = bytes / static_cast<std::int64_t>(element_bytes(codec_.element));
  if (collective == Collective::all_reduce) {
    ticket_ =
        communicator_.start_all_reduce(group.id, given_->data(), sent, codec_.element, kLabel);
    return;
  }
  if (collective == Collective::butterfly) {
    arrived_ = backend_.buffer(packed(*bucket_));
    const auto partner = static_cast<int>(group.place_of(communicator_.rank()) ^ distance_);
    const Peer to{partner, given_->data(), sent}, from{partner, arrived_->data(), sent};
    ticket_ =
        communicator_.start_group_messages(group.id, {&to, 1}, {&from, 1}, codec_.element, kLabel);
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
