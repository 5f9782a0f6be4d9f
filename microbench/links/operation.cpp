#include "microbench/links/operation.h"

#include <algorithm>
#include <utility>

namespace oracle {
namespace {

bool is_message(LinkAction action) {
  return action == LinkAction::message || action == LinkAction::stream;
}

/// Several times what a core's own caches hold [B].
constexpr std::int64_t kPlaces = std::int64_t{16} << 20;
/// Between two places at least, whose lines no two share [B].
constexpr std::int64_t kApart = 256;

std::vector<float> values_in(std::int64_t bytes) {
  return std::vector<float>(static_cast<std::size_t>(bytes / 4));
}

}  // namespace

float exact_value(int rank, std::int64_t element) {
  return static_cast<float>((7 * (element % 101) + 13 * (rank % 101)) % 101);
}

LinkOperationRun::LinkOperationRun(Communicator& communicator, const MakeBuffer& make_buffer,
                                   LinkAction action, std::vector<int> ranks, GroupId group,
                                   std::int64_t bytes)
    : communicator_(communicator), action_(action), ranks_(std::move(ranks)), group_(group) {
  const auto members = static_cast<std::int64_t>(ranks_.size());
  place_ = std::find(ranks_.begin(), ranks_.end(), communicator.rank()) - ranks_.begin();
  const bool in_parts = !is_message(action) && action != LinkAction::all_reduce;
  parts_ = in_parts ? members : 1;
  part_ = std::max<std::int64_t>(1, (bytes / 4 + parts_ - 1) / parts_);
  const std::int64_t whole = 4 * parts_ * part_;
  const std::int64_t own = 4 * part_;
  given_ = make_buffer(action == LinkAction::all_gather ? own : whole);
  taken_ = action == LinkAction::reduce_scatter ? own : whole;
  apart_ = (taken_ + kApart - 1) / kApart * kApart;
  if (action != LinkAction::all_reduce) places_ = std::max<std::int64_t>(1, kPlaces / apart_);
  kept_ = make_buffer(places_ * apart_);
  word_ = make_buffer(4);
}

void* LinkOperationRun::place_to_take() {
  const std::int64_t place = next_;
  next_ = (next_ + 1) % places_;
  return static_cast<std::byte*>(kept_->data()) + place * apart_;
}

void LinkOperationRun::run() {
  if (action_ == LinkAction::message) return ping_pong();
  if (action_ == LinkAction::stream) return stream();
  communicator_.wait(start());
}

Ticket LinkOperationRun::start() {
  const std::string label(name_of(action_));
  switch (action_) {
    case LinkAction::reduce_scatter:
      return communicator_.start_reduce_scatter(group_, given_->data(), place_to_take(), part_,
                                                Element::fp32, label);
    case LinkAction::all_gather:
      return communicator_.start_all_gather(group_, given_->data(), place_to_take(), part_,
                                            Element::fp32, label);
    case LinkAction::all_to_all:
      return communicator_.start_all_to_all(group_, given_->data(), place_to_take(), part_,
                                            Element::fp32, label);
    case LinkAction::message:
    case LinkAction::stream:
    case LinkAction::all_reduce:
      break;
  }
  return communicator_.start_all_reduce(group_, kept_->data(), part_, Element::fp32, label);
}

void LinkOperationRun::ping_pong() {
  const int other = ranks_[static_cast<std::size_t>(1 - place_)];
  const Peer sent{other, given_->data(), part_};
  const Peer received{other, place_to_take(), part_};
  const auto send = [&] {
    communicator_.wait(communicator_.start_messages({&sent, 1}, {}, Element::fp32, "ping"));
  };
  const auto receive = [&] {
    communicator_.wait(communicator_.start_messages({}, {&received, 1}, Element::fp32, "ping"));
  };
  if (place_ == 0) {
    send();
    receive();
  } else {
    receive();
    send();
  }
}

/// The last message goes back, to say that all the others came.
void LinkOperationRun::stream() {
  const int other = ranks_[static_cast<std::size_t>(1 - place_)];
  const Peer answer{other, word_->data(), 1};
  std::vector<Ticket> tickets;
  for (int i = 0; i < kStreamMessages; ++i) {
    const Peer message{other, place_ == 0 ? given_->data() : place_to_take(), part_};
    const std::span<const Peer> one(&message, 1);
    tickets.push_back(communicator_.start_messages(place_ == 0 ? one : std::span<const Peer>{},
                                                   place_ == 0 ? std::span<const Peer>{} : one,
                                                   Element::fp32, "stream"));
  }
  for (const Ticket ticket : tickets) communicator_.wait(ticket);
  const std::span<const Peer> last(&answer, 1);
  communicator_.wait(communicator_.start_messages(place_ == 0 ? std::span<const Peer>{} : last,
                                                  place_ == 0 ? last : std::span<const Peer>{},
                                                  Element::fp32, "stream's end"));
}

void LinkOperationRun::fill() {
  const int rank = communicator_.rank();
  Buffer& source = action_ == LinkAction::all_reduce ? *kept_ : *given_;
  std::vector<float> values = values_in(source.bytes());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = exact_value(rank, static_cast<std::int64_t>(i));
  }
  source.write(values.data(), source.bytes());
  if (&source == kept_.get()) return;
  values.assign(static_cast<std::size_t>(taken_ / 4), -1.0F);
  kept_->write(values.data(), taken_);
}

float LinkOperationRun::due(std::int64_t element) const {
  const auto sum = [&](std::int64_t of) {
    float total = 0;
    for (const int rank : ranks_) total += exact_value(rank, of);
    return total;
  };
  const auto owner = static_cast<std::size_t>(element / part_);
  switch (action_) {
    case LinkAction::all_reduce:
      return sum(element);
    case LinkAction::reduce_scatter:
      return sum(place_ * part_ + element);
    case LinkAction::all_gather:
      return exact_value(ranks_[owner], element % part_);
    case LinkAction::all_to_all:
      return exact_value(ranks_[owner], place_ * part_ + element % part_);
    case LinkAction::message:
    case LinkAction::stream:
      break;
  }
  return exact_value(ranks_[static_cast<std::size_t>(1 - place_)], element);
}

std::string LinkOperationRun::check() {
  fill();
  const std::int64_t places = std::exchange(places_, 1);
  next_ = 0;
  run();
  places_ = places;
  // The first rank of a stream only sends.
  if (action_ == LinkAction::stream && place_ == 0) return {};
  std::vector<float> values = values_in(taken_);
  kept_->read(values.data(), taken_);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float wanted = due(static_cast<std::int64_t>(i));
    if (values[i] == wanted) continue;
    return std::string(name_of(action_)) + " of " + std::to_string(bytes()) + " bytes: element " +
           std::to_string(i) + " on rank " + std::to_string(communicator_.rank()) + " is " +
           std::to_string(values[i]) + ", due " + std::to_string(wanted);
  }
  return {};
}

void LinkOperationRun::clear() {
  given_->zero(0, given_->bytes());
  kept_->zero(0, kept_->bytes());
}

}  // namespace oracle
