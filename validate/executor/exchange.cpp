#include "validate/executor/exchange.h"

#include <algorithm>
#include <cstring>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr std::int64_t kElement = 4;

float* begin_of(Buffer& buffer) { return static_cast<float*>(buffer.data()); }

float* pack(const Tensor& tensor, const Share& share, float* to) {
  for (const Box& box : share.boxes) {
    tensor.pack(box, to);
    to += box.size.elements();
  }
  return to;
}

const float* unpack(Tensor& tensor, const Share& share, const float* from, bool accumulate) {
  for (const Box& box : share.boxes) {
    accumulate ? tensor.accumulate(box, from) : tensor.unpack(box, from);
    from += box.size.elements();
  }
  return from;
}

std::int64_t total(const std::vector<Share>& shares) {
  std::int64_t sum = 0;
  for (const Share& share : shares) sum += share.elements;
  return sum;
}

std::vector<Peer> peers(const std::vector<Share>& shares, float* buffer) {
  std::vector<Peer> list;
  for (const Share& share : shares) {
    list.push_back({share.rank, buffer, share.elements});
    buffer += share.elements;
  }
  return list;
}

}  // namespace

double wire_bytes(const Move& move, std::int64_t n) {
  if (move.axes == 0) return static_cast<double>(total(move.give) * kElement);
  const double whole = static_cast<double>(move.part * kElement);
  const auto others = static_cast<double>(n - 1);
  if (move.collective == Collective::all_reduce) return 2 * others * whole / static_cast<double>(n);
  return others * whole;
}

Exchanger::Exchanger(Backend& backend, Communicator& communicator, const RankGroups& groups)
    : backend_(backend), communicator_(communicator), groups_(groups) {
  ensure(backend.element_bytes() == kElement, "the executor exchanges fp32");
}

std::unique_ptr<Buffer> Exchanger::floats(std::int64_t count) {
  return backend_.buffer(count * kElement);
}

void Exchanger::clear(Tensor& tensor) {
  const auto zeros = floats(tensor.extents().elements());
  std::memset(zeros->data(), 0, static_cast<std::size_t>(zeros->bytes()));
  tensor.unpack({{0, 0, 0, 0, 0}, tensor.extents()}, zeros->data());
}

void Exchanger::keep(const Move& move, const Tensor& from, Tensor& to) {
  std::int64_t most = 0;
  for (const Box& box : move.keep_from) most = std::max(most, box.size.elements());
  if (most == 0) return;
  const auto carried = floats(most);
  for (std::size_t i = 0; i < move.keep_from.size(); ++i) {
    from.pack(move.keep_from[i], carried->data());
    to.unpack(move.keep_to[i], carried->data());
  }
}

double Exchanger::run(const Move& move, const Tensor* from, Tensor* to, const std::string& label) {
  if (to == nullptr) {
    send_off(move, *from, label);
    return wire_bytes(move, 1);
  }
  if (move.clear) clear(*to);
  if (from != nullptr) keep(move, *from, *to);
  if (move.axes == 0) {
    run_messages(move, from, to, label);
    return wire_bytes(move, 1);
  }
  run_collective(move, *from, *to, label);
  return wire_bytes(move, groups_.at(move.axes).size);
}

void Exchanger::run_collective(const Move& move, const Tensor& from, Tensor& to,
                               const std::string& label) {
  const RankGroup group = groups_.at(move.axes);
  const auto given = floats(move.part * static_cast<std::int64_t>(move.give.size()));
  for (std::size_t i = 0; i < move.give.size(); ++i) {
    float* begin = begin_of(*given) + static_cast<std::int64_t>(i) * move.part;
    float* end = pack(from, move.give[i], begin);
    std::fill(end, begin + move.part, 0.F);
  }
  const bool in_place = move.collective == Collective::all_reduce;
  const auto taken = floats(in_place ? 0 : move.part * static_cast<std::int64_t>(move.take.size()));
  Ticket ticket = 0;
  switch (move.collective) {
    case Collective::all_reduce:
      ticket =
          communicator_.start_all_reduce(group.id, given->data(), move.part, Element::fp32, label);
      break;
    case Collective::reduce_scatter:
      ticket = communicator_.start_reduce_scatter(group.id, given->data(), taken->data(), move.part,
                                                  Element::fp32, label);
      break;
    case Collective::all_gather:
      ticket = communicator_.start_all_gather(group.id, given->data(), taken->data(), move.part,
                                              Element::fp32, label);
      break;
    case Collective::all_to_all:
      ticket = communicator_.start_all_to_all(group.id, given->data(), taken->data(), move.part,
                                              Element::fp32, label);
      break;
    default:
      throw Defect("Exchanger: messages have no group");
  }
  communicator_.wait(ticket);
  const float* arrived = begin_of(in_place ? *given : *taken);
  for (std::size_t i = 0; i < move.take.size(); ++i) {
    unpack(to, move.take[i], arrived + static_cast<std::int64_t>(i) * move.part, false);
  }
}

void Exchanger::run_messages(const Move& move, const Tensor* from, Tensor* to,
                             const std::string& label) {
  if (move.give.empty() && move.take.empty()) return;
  const auto given = floats(total(move.give));
  float* end = begin_of(*given);
  for (const Share& share : move.give) end = pack(*from, share, end);
  const auto taken = floats(total(move.take));
  const std::vector<Peer> sends = peers(move.give, begin_of(*given));
  const std::vector<Peer> receives = peers(move.take, begin_of(*taken));
  communicator_.wait(communicator_.start_messages(sends, receives, Element::fp32, label));
  const float* arrived = begin_of(*taken);
  for (const Share& share : move.take) arrived = unpack(*to, share, arrived, move.accumulate);
}

void Exchanger::send_off(const Move& move, const Tensor& from, const std::string& label) {
  for (const Departed& earlier : departed_) {
    if (earlier.label == label) communicator_.wait(earlier.ticket);
  }
  std::erase_if(departed_, [&](const Departed& earlier) { return earlier.label == label; });
  auto buffer = floats(total(move.give));
  pack(from, move.give.front(), begin_of(*buffer));
  const std::vector<Peer> sends = peers(move.give, begin_of(*buffer));
  const Ticket ticket = communicator_.start_messages(sends, {}, Element::fp32, label);
  departed_.push_back({label, ticket, std::move(buffer)});
}

double Exchanger::sum(std::vector<float>& values, AxisSet axes, std::int64_t elements,
                      const std::string& label) {
  const RankGroup group = groups_.at(axes);
  const auto count = std::max(elements, static_cast<std::int64_t>(values.size()));
  const auto buffer = floats(count);
  std::fill_n(begin_of(*buffer), count, 0.F);
  std::copy(values.begin(), values.end(), begin_of(*buffer));
  communicator_.wait(
      communicator_.start_all_reduce(group.id, buffer->data(), count, Element::fp32, label));
  std::copy_n(begin_of(*buffer), values.size(), values.begin());
  const auto n = static_cast<double>(group.size);
  return 2 * (n - 1) / n * static_cast<double>(count * kElement);
}

void Exchanger::finish() {
  for (const Departed& departed : departed_) communicator_.wait(departed.ticket);
  departed_.clear();
}

}  // namespace oracle
