#include "validate/executor/largest.h"

#include <algorithm>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr auto kFloat = static_cast<std::int64_t>(sizeof(float));

std::byte* at(Buffer& buffer, std::int64_t index) {
  return static_cast<std::byte*>(buffer.data()) + index * kFloat;
}

}  // namespace

void keep_largest(std::vector<float>& values, std::span<const int> ranks, Backend& backend,
                  Communicator& communicator, const std::string& label) {
  const auto members = static_cast<std::int64_t>(ranks.size());
  const auto count = static_cast<std::int64_t>(values.size());
  const auto begin_of = [&](std::int64_t member) { return member * count / members; };
  const std::int64_t self =
      std::find(ranks.begin(), ranks.end(), communicator.rank()) - ranks.begin();
  ensure(self < members, "a rank compares numbers with ranks that it is one of");
  const std::int64_t first = begin_of(self), part = begin_of(self + 1) - first;

  const auto all = backend.buffer(count * kFloat),
             arrived = backend.buffer(members * part * kFloat);
  all->write(values.data(), all->bytes());
  // The others' parts of these numbers, and these numbers of the others.
  std::vector<Peer> parts, own, others;
  for (std::int64_t m = 0; m < members; ++m) {
    if (m == self) continue;
    const int rank = ranks[static_cast<std::size_t>(m)];
    parts.push_back({rank, at(*all, begin_of(m)), begin_of(m + 1) - begin_of(m)});
    others.push_back({rank, at(*arrived, m * part), part});
    own.push_back({rank, at(*all, first), part});
  }
  communicator.wait(communicator.start_messages(parts, others, Element::fp32, label));
  std::vector<float> taken(static_cast<std::size_t>(members * part));
  arrived->read(taken.data(), arrived->bytes());
  for (std::int64_t m = 0; m < members; ++m) {
    for (std::int64_t i = 0; m != self && i < part; ++i) {
      float& most = values[static_cast<std::size_t>(first + i)];
      most = std::max(most, taken[static_cast<std::size_t>(m * part + i)]);
    }
  }
  all->write(values.data(), all->bytes());
  communicator.wait(communicator.start_messages(own, parts, Element::fp32, label));
  all->read(values.data(), all->bytes());
}

}  // namespace oracle
