#include "microbench/compression/compressed_gradients.h"

#include <algorithm>
#include <utility>

#include "oracle/plan/exchanges/compressed_bucket.h"
#include "oracle/plan/exchanges/sparse.h"

namespace oracle {
namespace {

constexpr std::int64_t kFloatBytes = sizeof(float);

std::span<float> floats_of(Buffer& buffer) {
  return {static_cast<float*>(buffer.data()),
          static_cast<std::size_t>(buffer.bytes() / kFloatBytes)};
}

std::byte* bytes_of(Buffer& buffer) { return static_cast<std::byte*>(buffer.data()); }

std::int64_t size_of(std::span<const float> values) {
  return static_cast<std::int64_t>(values.size());
}

}  // namespace

CompressedGradients::CompressedGradients(const ChosenExchange& exchange,
                                         std::vector<Gradient> gradients, std::int64_t elements,
                                         Place place, Backend& backend)
    : exchange_(exchange),
      codec_(codec_named(exchange.row->name)),
      gradients_(std::move(gradients)),
      elements_(elements),
      place_(place),
      backend_(backend) {}

std::int64_t CompressedGradients::part() const {
  return scatters() ? part_of(elements_, place_.ranks) : elements_;
}

std::int64_t CompressedGradients::packed() const { return exchange_.packed(part()); }

std::int64_t CompressedGradients::chosen_bytes() const {
  return kFloatBytes * kept_values(elements_, exchange_.parameter);
}

CompressedGradients::Floats CompressedGradients::piece(Floats values, std::int64_t number) const {
  const std::int64_t begin = std::min(number * part(), elements_);
  return values.subspan(static_cast<std::size_t>(begin),
                        static_cast<std::size_t>(std::min(part(), elements_ - begin)));
}

std::unique_ptr<Buffer> CompressedGradients::zeros(std::int64_t bytes) const {
  auto made = backend_.buffer(bytes);
  made->zero(0, bytes);
  return made;
}

Buffer& CompressedGradients::make_room(std::int64_t bytes) {
  arrived_ = backend_.buffer(bytes);
  return *arrived_;
}

void CompressedGradients::arrive() {
  if (arrived_ == nullptr) std::swap(given_, arrived_);
  if (!merges()) given_.reset();
}

void CompressedGradients::take(CompressionStep step) {
  switch (step) {
    case CompressionStep::compress:
      return rounds() ? round() : compress();
    case CompressionStep::reduce:
      if (merges()) return merge();
      return finds() ? choose() : reduce();
    case CompressionStep::restore:
      return rounds() ? widen() : restore();
  }
}

void CompressedGradients::round() {
  given_ = backend_.buffer(packed());
  std::byte* const begin = bytes_of(*given_);
  std::byte* to = begin;
  for (const Gradient& gradient : gradients_) {
    gradient.weights->visit_gradient(gradient.index, [&](std::span<const float> values) {
      to_elements(codec_.element, values.data(), to, size_of(values));
      to += values.size() * element_bytes(codec_.element);
    });
  }
  given_->zero(to - begin, begin + given_->bytes() - to);
}

void CompressedGradients::add_to_unsent() {
  if (unsent_ == nullptr) unsent_ = zeros(elements_ * kFloatBytes);
  float* sum = floats_of(*unsent_).data();
  for (const Gradient& gradient : gradients_) {
    gradient.weights->visit_gradient(gradient.index, [&](std::span<const float> values) {
      add_elements(Element::fp32, sum, values.data(), size_of(values));
      sum += values.size();
    });
  }
}

void CompressedGradients::compress() {
  add_to_unsent();
  places_.clear();
  given_ = backend_.buffer(pieces() * packed());
  for (std::int64_t i = 0; i < pieces(); ++i) {
    const Floats values = piece(floats_of(*unsent_), i);
    if (size_of(values) < part()) given_->zero(i * packed(), packed());
    codec_.compress(values, exchange_.parameter, bytes_of(*given_) + i * packed());
  }
  if (!merges()) return;
  sent_ = backend_.buffer(given_->bytes());
  std::copy_n(bytes_of(*given_), given_->bytes(), bytes_of(*sent_));
}

/// What this rank has so far and what its partner has.
void CompressedGradients::merge() {
  auto merged = backend_.buffer(packed());
  codec_.merge(bytes_of(*given_), bytes_of(*arrived_), elements_, exchange_.parameter,
               bytes_of(*merged));
  given_ = std::move(merged);
  arrived_.reset();
}

/// Takes from this rank's own values those that are largest in the sum.
void CompressedGradients::choose() {
  const auto room = backend_.buffer(elements_ * kFloatBytes);
  places_ = codec_.places(bytes_of(*arrived_), exchange_.parameter, floats_of(*room));
  arrived_.reset();
  given_ = backend_.buffer(chosen_bytes());
  const Floats chosen = floats_of(*given_), all = floats_of(*unsent_);
  for (std::size_t i = 0; i < places_.size(); ++i) chosen[i] = std::exchange(all[places_[i]], 0.0F);
}

void CompressedGradients::reduce() {
  if (unsent_sum_ == nullptr) unsent_sum_ = zeros(part() * kFloatBytes);
  const std::size_t own = piece(floats_of(*unsent_), place_.rank).size();
  const Floats sum = floats_of(*unsent_sum_).first(own);
  for (std::int64_t i = 0; i < place_.ranks; ++i) {
    codec_.add(bytes_of(*arrived_) + i * packed(), exchange_.parameter, sum);
  }
  given_ = backend_.buffer(packed());
  if (size_of(sum) < part()) given_->zero(0, given_->bytes());
  codec_.compress(sum, exchange_.parameter, bytes_of(*given_));
  arrived_.reset();
}

/// The last merge has come, and says what of this rank's own is not among it.
void CompressedGradients::take_back() {
  std::swap(given_, arrived_);
  codec_.take_back(bytes_of(*sent_), bytes_of(*arrived_), exchange_.parameter, floats_of(*unsent_));
  sent_.reset();
}

/// Every value, from what one rank says after the other.
void CompressedGradients::write_arrived(Floats values) {
  if (finds()) {
    std::fill(values.begin(), values.end(), 0.0F);
    for (std::size_t i = 0; i < places_.size(); ++i) values[places_[i]] = floats_of(*arrived_)[i];
    return;
  }
  for (std::int64_t i = 0; i * packed() < arrived_->bytes(); ++i) {
    const auto take = i == 0 || scatters() ? codec_.write : codec_.add;
    take(bytes_of(*arrived_) + i * packed(), exchange_.parameter,
         scatters() ? piece(values, i) : values);
  }
}

void CompressedGradients::widen() {
  const std::byte* from = bytes_of(*arrived_);
  for (const Gradient& gradient : gradients_) {
    gradient.weights->fill_gradient(gradient.index, [&](std::span<float> values) {
      from_elements(codec_.element, from, values.data(), size_of(values));
      from += values.size() * element_bytes(codec_.element);
    });
  }
  arrived_.reset();
}

void CompressedGradients::restore() {
  if (merges()) take_back();
  const auto restored = backend_.buffer(elements_ * kFloatBytes);
  write_arrived(floats_of(*restored));
  arrived_.reset();
  const float* from = floats_of(*restored).data();
  for (const Gradient& gradient : gradients_) {
    gradient.weights->unpack_gradient(gradient.index, from);
    from += gradient.weights->elements(gradient.index);
  }
}

void CompressedGradients::evict() {
  for (const Gradient& gradient : gradients_) backend_.evict(*gradient.weights);
  for (Buffer* kept : {unsent_.get(), unsent_sum_.get()}) {
    if (kept != nullptr) backend_.evict(*kept);
  }
}

void CompressedGradients::pack_as_kept() {
  if (unsent_ == nullptr) return;
  if (unsent_sum_ != nullptr) {
    const Floats own = piece(floats_of(*unsent_), place_.rank);
    add_elements(Element::fp32, own.data(), unsent_sum_->data(), size_of(own));
    unsent_sum_->zero(0, unsent_sum_->bytes());
  }
  float* unsent = floats_of(*unsent_).data();
  std::vector<float> gradient;
  for (const Gradient& of : gradients_) {
    gradient.resize(static_cast<std::size_t>(of.weights->elements(of.index)));
    of.weights->read_gradient(of.index, gradient.data());
    of.weights->write_gradient(of.index, unsent);
    of.weights->pack_gradient(of.index, unsent);
    of.weights->write_gradient(of.index, gradient.data());
    unsent += gradient.size();
  }
}

}  // namespace oracle
