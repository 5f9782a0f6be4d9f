#include "validate/executor/exchange.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "validate/executor/largest.h"

namespace oracle {
namespace {

/// What carries values from tensor to tensor holds about so many.
constexpr std::int64_t kCarried = 1 << 18;
/// Channels side by side in a back end's blocks.
constexpr std::int64_t kBlock = 16;

std::byte* begin_of(Buffer& buffer) { return static_cast<std::byte*>(buffer.data()); }

std::int64_t bytes_of(Element type) { return static_cast<std::int64_t>(element_bytes(type)); }

std::int64_t total(const std::vector<Share>& shares) {
  std::int64_t sum = 0;
  for (const Share& share : shares) sum += share.elements;
  return sum;
}

/// The boxes that `size` falls into, about kCarried elements each: samples, then blocks of
/// channels.
std::vector<Box> pieces_of(const Extents& size) {
  if (size.elements() <= kCarried) return {{{0, 0, 0, 0, 0}, size}};
  const std::int64_t sample = size.elements() / size.samples;
  const std::int64_t channels = sample > kCarried ? std::min(kBlock, size.channels) : size.channels;
  std::vector<Box> pieces;
  for (std::int64_t n = 0; n < size.samples; ++n) {
    for (std::int64_t c = 0; c < size.channels; c += channels) {
      Box piece{{n, c, 0, 0, 0}, size};
      piece.size.samples = 1;
      piece.size.channels = std::min(channels, size.channels - c);
      pieces.push_back(piece);
    }
  }
  return pieces;
}

/// `piece` of `box`, whose begin counts from the box's.
Box within(const Box& box, const Box& piece) {
  Box inner{box.begin, piece.size};
  inner.begin.samples += piece.begin.samples;
  inner.begin.channels += piece.begin.channels;
  return inner;
}

std::int64_t largest_of(const std::vector<Box>& boxes) {
  std::int64_t most = 0;
  for (const Box& box : boxes) most = std::max(most, box.size.elements());
  return most;
}

}  // namespace

double wire_bytes(const Move& move, std::int64_t n, Element type) {
  if (move.axes == 0) return static_cast<double>(total(move.give) * bytes_of(type));
  const std::int64_t parts = move.collective == Collective::all_reduce ? 1 : n;
  const Bytes buffer{static_cast<double>(parts * move.part * bytes_of(type))};
  return sent_bytes(move.collective, buffer, n).value;
}

Exchanger::Exchanger(Backend& backend, Communicator& communicator, const RankGroups& groups)
    : backend_(backend),
      communicator_(communicator),
      groups_(groups),
      type_(backend.element()),
      element_(bytes_of(type_)) {}

std::unique_ptr<Buffer> Exchanger::values(std::int64_t count) {
  return backend_.buffer(count * element_);
}

std::byte* Exchanger::pack(const Tensor& tensor, const Share& share, std::byte* to) const {
  for (const Box& box : share.boxes) {
    tensor.pack(box, to);
    to += box.size.elements() * element_;
  }
  return to;
}

const std::byte* Exchanger::unpack(Tensor& tensor, const Share& share, const std::byte* from,
                                   bool accumulate) const {
  for (const Box& box : share.boxes) {
    accumulate ? tensor.accumulate(box, from) : tensor.unpack(box, from);
    from += box.size.elements() * element_;
  }
  return from;
}

std::vector<Peer> Exchanger::peers(const std::vector<Share>& shares, std::byte* buffer) const {
  std::vector<Peer> list;
  for (const Share& share : shares) {
    list.push_back({share.rank, buffer, share.elements});
    buffer += share.elements * element_;
  }
  return list;
}

void Exchanger::clear(Tensor& tensor) {
  const std::vector<Box> pieces = pieces_of(tensor.extents());
  const auto zeros = values(largest_of(pieces));
  zeros->zero(0, zeros->bytes());
  for (const Box& piece : pieces) tensor.unpack(piece, zeros->data());
}

void Exchanger::keep(const Move& move, const Tensor& from, Tensor& to) {
  for (std::size_t i = 0; i < move.keep_from.size(); ++i) {
    if (to.copy(from, move.keep_from[i], move.keep_to[i].begin)) continue;
    const std::vector<Box> pieces = pieces_of(move.keep_from[i].size);
    const auto carried = values(largest_of(pieces));
    for (const Box& piece : pieces) {
      from.pack(within(move.keep_from[i], piece), carried->data());
      to.unpack(within(move.keep_to[i], piece), carried->data());
    }
  }
}

Element Exchanger::type_of(const Move& move, const MicroBatch& batch) const {
  const Slot slot = move.from == kNoSlot ? move.to : move.from;
  return batch.program().slots[slot].fp32 ? Element::fp32 : backend_.element();
}

double Exchanger::run(const Move& move, MicroBatch& batch, bool dies, const std::string& label) {
  type_ = type_of(move, batch);
  element_ = bytes_of(type_);
  if (move.to == kNoSlot) {
    send_off(move, *batch.find(move.from), label);
  } else if (move.axes == 0) {
    run_messages(move, batch, dies, label);
  } else {
    run_collective(move, batch, dies, label);
    return wire_bytes(move, groups_.at(move.axes).size, type_);
  }
  return wire_bytes(move, 1, type_);
}

Ticket Exchanger::start(const Move& move, GroupId group, Buffer& given, Buffer& taken,
                        const std::string& label) {
  switch (move.collective) {
    case Collective::all_reduce:
      return communicator_.start_all_reduce(group, given.data(), move.part, type_, label);
    case Collective::reduce_scatter:
      return communicator_.start_reduce_scatter(group, given.data(), taken.data(), move.part, type_,
                                                label);
    case Collective::all_gather:
      return communicator_.start_all_gather(group, given.data(), taken.data(), move.part, type_,
                                            label);
    case Collective::all_to_all:
      return communicator_.start_all_to_all(group, given.data(), taken.data(), move.part, type_,
                                            label);
    default:
      throw Defect("Exchanger: messages have no group");
  }
}

void Exchanger::run_collective(const Move& move, MicroBatch& batch, bool dies,
                               const std::string& label) {
  const std::int64_t part = move.part * element_;
  auto given = values(move.part * static_cast<std::int64_t>(move.give.size()));
  for (std::size_t i = 0; i < move.give.size(); ++i) {
    std::byte* begin = begin_of(*given) + static_cast<std::int64_t>(i) * part;
    std::byte* end = pack(*batch.find(move.from), move.give[i], begin);
    given->zero(end - begin_of(*given), begin + part - end);
  }
  if (dies) batch.free(move.from);
  const bool in_place = move.collective == Collective::all_reduce;
  auto taken = values(in_place ? 0 : move.part * static_cast<std::int64_t>(move.take.size()));
  communicator_.wait(start(move, groups_.at(move.axes).id, *given, *taken, label));
  if (in_place) std::swap(given, taken);
  given.reset();
  Tensor& to = *batch.make_to_receive(move.to);
  for (std::size_t i = 0; i < move.take.size(); ++i) {
    const std::byte* begin = begin_of(*taken) + static_cast<std::int64_t>(i) * part;
    unpack(to, move.take[i], begin, false);
  }
}

/// What stays is copied while the messages are under way.
void Exchanger::run_messages(const Move& move, MicroBatch& batch, bool dies,
                             const std::string& label) {
  const Tensor* from = batch.find(move.from);
  auto given = values(total(move.give));
  std::byte* end = begin_of(*given);
  for (const Share& share : move.give) end = pack(*from, share, end);
  const auto taken = values(total(move.take));
  const bool exchanges = !move.give.empty() || !move.take.empty();
  Ticket ticket = 0;
  if (exchanges) {
    const std::vector<Peer> sends = peers(move.give, begin_of(*given));
    const std::vector<Peer> receives = peers(move.take, begin_of(*taken));
    ticket = communicator_.start_messages(sends, receives, type_, label);
  }
  Tensor& to = *batch.make_to_receive(move.to);
  if (move.clear) clear(to);
  if (from != nullptr) keep(move, *from, to);
  if (from != nullptr && dies) batch.free(move.from);
  if (exchanges) communicator_.wait(ticket);
  given.reset();
  const std::byte* arrived = begin_of(*taken);
  for (const Share& share : move.take) arrived = unpack(to, share, arrived, move.accumulate);
}

void Exchanger::send_off(const Move& move, const Tensor& from, const std::string& label) {
  auto buffer = values(total(move.give));
  pack(from, move.give.front(), begin_of(*buffer));
  const std::vector<Peer> sends = peers(move.give, begin_of(*buffer));
  const Ticket ticket = communicator_.start_messages(sends, {}, type_, label);
  departed_.push_back({label, ticket, std::move(buffer)});
}

double Exchanger::sum(std::vector<float>& values, AxisSet axes, const std::string& label) {
  const RankGroup group = groups_.at(axes);
  const auto count = static_cast<std::int64_t>(values.size());
  const auto buffer = backend_.buffer(count * bytes_of(Element::fp32));
  buffer->write(values.data(), buffer->bytes());
  communicator_.wait(
      communicator_.start_all_reduce(group.id, buffer->data(), count, Element::fp32, label));
  buffer->read(values.data(), buffer->bytes());
  const Bytes bytes{static_cast<double>(buffer->bytes())};
  return sent_bytes(Collective::all_reduce, bytes, group.size).value;
}

double Exchanger::largest(std::vector<float>& values, AxisSet axes, const std::string& label) {
  const RankGroup& group = groups_.at(axes);
  keep_largest(values, group.ranks, backend_, communicator_, label);
  const Bytes bytes{static_cast<double>(values.size() * sizeof(float))};
  return sent_bytes(Collective::all_reduce, bytes, group.size).value;
}

void Exchanger::release_departed() {
  for (Departed& departed : departed_) {
    if (!communicator_.done(departed.ticket)) continue;
    communicator_.wait(departed.ticket);
    departed.buffer.reset();
  }
  std::erase_if(departed_, [](const Departed& departed) { return departed.buffer == nullptr; });
}

void Exchanger::finish() {
  for (const Departed& departed : departed_) communicator_.wait(departed.ticket);
  departed_.clear();
}

}  // namespace oracle
