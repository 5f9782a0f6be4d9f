// collectives [gpu]: every collective and message against sums computed serially: many sizes, types
// and groups, several operations under way together, and the bytes they count; over MPI in the
// host's memory, or over NCCL in the GPU's. Run by mpirun on 1 to 4 ranks.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/elements/element.h"
#include "microbench/links/link_memory.h"
#include "tests/ranks/check.h"

namespace {

using namespace oracle;

/// Small whole numbers: their sums are exact in every order and type.
float value(int rank, std::int64_t i) { return static_cast<float>((rank * 7 + i * 3) % 11 - 5); }

std::vector<float> values(int rank, std::int64_t count) {
  std::vector<float> all(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = value(rank, i);
  return all;
}

/// Numbers in the memory that a communicator works on.
class Numbers {
 public:
  Numbers(const LinkDevice& device, Element type, const std::vector<float>& values)
      : type_(type), count_(values.size()), buffer_(device.buffer(size())) {
    std::vector<std::byte> written(static_cast<std::size_t>(size()));
    for (std::size_t i = 0; i < count_; ++i) put(written, i, values[i]);
    buffer_->write(written.data(), size());
  }
  Numbers(const LinkDevice& device, Element type, std::size_t count)
      : Numbers(device, type, std::vector<float>(count)) {}

  void* data() { return buffer_->data(); }
  std::vector<float> read() {
    std::vector<std::byte> got(static_cast<std::size_t>(size()));
    buffer_->read(got.data(), size());
    std::vector<float> values;
    for (std::size_t i = 0; i < count_; ++i) values.push_back(at(got, i));
    return values;
  }

 private:
  std::int64_t size() const {
    return static_cast<std::int64_t>(count_) * static_cast<std::int64_t>(element_bytes(type_));
  }

  void put(std::vector<std::byte>& bytes, std::size_t i, float value) const {
    if (type_ == Element::fp32) {
      std::memcpy(&bytes[4 * i], &value, 4);
      return;
    }
    const std::uint16_t half = type_ == Element::bf16 ? float_to_bf16(value) : float_to_fp16(value);
    std::memcpy(&bytes[2 * i], &half, 2);
  }
  float at(const std::vector<std::byte>& bytes, std::size_t i) const {
    float value = 0;
    if (type_ == Element::fp32) {
      std::memcpy(&value, &bytes[4 * i], 4);
      return value;
    }
    std::uint16_t half = 0;
    std::memcpy(&half, &bytes[2 * i], 2);
    return type_ == Element::bf16 ? bf16_to_float(half) : fp16_to_float(half);
  }

  Element type_;
  std::size_t count_;
  std::unique_ptr<Buffer> buffer_;
};

struct Group {
  GroupId id = 0;
  std::vector<int> ranks;
  bool member = false;
  int place = 0;
};

Group made(Communicator& comm, std::vector<int> ranks) {
  Group group;
  group.id = comm.make_group(ranks);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] != comm.rank()) continue;
    group.member = true;
    group.place = static_cast<int>(i);
  }
  group.ranks = std::move(ranks);
  return group;
}

std::vector<float> sum_of(const Group& group, std::int64_t count) {
  std::vector<float> sum(static_cast<std::size_t>(count));
  for (const int rank : group.ranks) {
    for (std::int64_t i = 0; i < count; ++i) sum[static_cast<std::size_t>(i)] += value(rank, i);
  }
  return sum;
}

/// First place where two vectors differ, -1 where they are the same.
std::int64_t first_difference(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i])) {
      return static_cast<std::int64_t>(i);
    }
  }
  return -1;
}

std::int64_t size_of(const Group& group) { return static_cast<std::int64_t>(group.ranks.size()); }

/// What all checks work with.
struct World {
  Communicator& comm;
  const LinkDevice& device;
  Verdicts& verdicts;

  Numbers numbers(Element type, const std::vector<float>& values) const {
    return {device, type, values};
  }
  void same(const std::string& what, Numbers& found, const std::vector<float>& due) const {
    verdicts.equal(what, first_difference(found.read(), due), -1);
  }
};

std::vector<float> part_of(const std::vector<float>& whole, std::int64_t first,
                           std::int64_t count) {
  return {whole.begin() + first, whole.begin() + first + count};
}

void check_group(const World& world, const Group& group, std::int64_t count, Element type) {
  Communicator& comm = world.comm;
  const std::string name = " of group " + std::to_string(group.id) + ", " + std::to_string(count) +
                           " elements of " + std::to_string(element_bytes(type)) + " bytes";
  const std::int64_t n = size_of(group);
  const std::vector<float> own_values = values(comm.rank(), count);
  const auto elements = static_cast<std::size_t>(count);

  Numbers reduced = world.numbers(type, own_values);
  comm.wait(comm.start_all_reduce(group.id, reduced.data(), count, type, "reduce"));
  world.same("all_reduce" + name, reduced, sum_of(group, count));

  Numbers whole = world.numbers(type, values(comm.rank(), n * count));
  Numbers part(world.device, type, elements);
  comm.wait(comm.start_reduce_scatter(group.id, whole.data(), part.data(), count, type, "scatter"));
  world.same("reduce_scatter" + name, part,
             part_of(sum_of(group, n * count), group.place * count, count));

  Numbers own = world.numbers(type, own_values);
  Numbers gathered(world.device, type, elements * group.ranks.size());
  comm.wait(comm.start_all_gather(group.id, own.data(), gathered.data(), count, type, "gather"));
  Numbers exchanged(world.device, type, elements * group.ranks.size());
  comm.wait(
      comm.start_all_to_all(group.id, whole.data(), exchanged.data(), count, type, "exchange"));
  std::vector<float> of_all, for_us;
  for (const int rank : group.ranks) {
    const std::vector<float> theirs = values(rank, count);
    of_all.insert(of_all.end(), theirs.begin(), theirs.end());
    const std::vector<float> sent = part_of(values(rank, n * count), group.place * count, count);
    for_us.insert(for_us.end(), sent.begin(), sent.end());
  }
  world.same("all_gather" + name, gathered, of_all);
  world.same("all_to_all" + name, exchanged, for_us);
}

/// The header's rule, where the counts divide by the members.
void check_bytes(const World& world, const Group& group, Element type) {
  Communicator& comm = world.comm;
  const std::int64_t n = size_of(group), part = 1000;
  const auto bytes = static_cast<std::int64_t>(element_bytes(type));
  Numbers from(world.device, type, static_cast<std::size_t>(n * part));
  Numbers to(world.device, type, static_cast<std::size_t>(n * part));
  const auto counted = [&](const std::string& what, Ticket ticket, std::int64_t due) {
    comm.wait(ticket);
    world.verdicts.equal("bytes of " + what, comm.bytes_sent(), due * bytes);
    comm.reset_bytes();
  };
  comm.reset_bytes();
  counted("all_reduce", comm.start_all_reduce(group.id, to.data(), n * part, type, "a"),
          2 * (n - 1) * part);
  counted("reduce_scatter",
          comm.start_reduce_scatter(group.id, from.data(), to.data(), part, type, "b"),
          (n - 1) * part);
  counted("all_gather", comm.start_all_gather(group.id, from.data(), to.data(), part, type, "c"),
          (n - 1) * part);
  counted("all_to_all", comm.start_all_to_all(group.id, from.data(), to.data(), part, type, "d"),
          (n - 1) * part);
}

/// Operations on all groups at once, waited for in the reverse order.
void check_overlap(const World& world, const std::vector<Group>& groups) {
  const std::int64_t count = 300007;
  std::vector<Numbers> buffers;
  std::vector<Ticket> tickets;
  std::vector<const Group*> of;
  constexpr std::array kRepeats = {Element::fp32, Element::bf16, Element::fp32, Element::fp16};
  for (std::size_t r = 0; r < kRepeats.size(); ++r) {
    const Element type = kRepeats[r];
    for (const Group& group : groups) {
      if (!group.member) continue;
      buffers.push_back(world.numbers(type, values(world.comm.rank(), count)));
      of.push_back(&group);
      tickets.push_back(world.comm.start_all_reduce(group.id, buffers.back().data(), count, type,
                                                    "bucket " + std::to_string(r)));
    }
  }
  for (std::size_t i = tickets.size(); i-- > 0;) world.comm.wait(tickets[i]);
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    world.same("overlapping all_reduce " + std::to_string(i), buffers[i], sum_of(*of[i], count));
  }
}

/// Two messages to each neighbour of a ring, of different sizes, in the order they start.
void check_messages(const World& world, Element type) {
  Communicator& comm = world.comm;
  constexpr std::int64_t kLong = 100003, kShort = 17;
  const int n = comm.size();
  const int next = (comm.rank() + 1) % n;
  const int before = (comm.rank() + n - 1) % n;
  Numbers first = world.numbers(type, values(comm.rank(), kLong));
  Numbers second = world.numbers(type, values(comm.rank() + 50, kShort));
  Numbers got_first(world.device, type, kLong);
  Numbers got_second(world.device, type, kShort);
  const std::vector<Peer> sends = {{next, first.data(), kLong}, {next, second.data(), kShort}};
  const std::vector<Peer> early = {{before, got_first.data(), kLong}};
  const std::vector<Peer> late = {{before, got_second.data(), kShort}};
  comm.reset_bytes();
  const Ticket a = comm.start_messages({}, early, type, "early");
  const Ticket b = comm.start_messages(sends, late, type, "late");
  comm.wait(b);
  comm.wait(a);
  world.same("first message", got_first, values(before, kLong));
  world.same("second message", got_second, values(before + 50, kShort));
  world.verdicts.equal("bytes of messages", comm.bytes_sent(),
                       (kLong + kShort) * static_cast<std::int64_t>(element_bytes(type)));
}

/// Sums of numbers that round: the same bits on every member and in every repetition.
void check_reproducible(const World& world, const Group& group) {
  const std::int64_t count = 5003;
  std::vector<float> thirds;
  for (std::int64_t i = 0; i < count; ++i) {
    thirds.push_back(1.0F / static_cast<float>(3 + i * (world.comm.rank() + 1)));
  }
  Numbers sum = world.numbers(Element::fp32, thirds);
  Numbers again = world.numbers(Element::fp32, thirds);
  for (Numbers* one : {&sum, &again}) {
    world.comm.wait(
        world.comm.start_all_reduce(group.id, one->data(), count, Element::fp32, "thirds"));
  }
  const std::vector<float> due = sum.read();
  world.same("twice the same", again, due);
  Numbers all(world.device, Element::fp32, group.ranks.size() * due.size());
  world.comm.wait(
      world.comm.start_all_gather(group.id, sum.data(), all.data(), count, Element::fp32, "all"));
  const std::vector<float> everybodys = all.read();
  for (std::int64_t i = 0; i < size_of(group); ++i) {
    world.verdicts.equal("same on every member",
                         first_difference(due, part_of(everybodys, i * count, count)), -1);
  }
}

void check_gather(Communicator& comm, Verdicts& verdicts) {
  const std::vector<std::string> texts =
      comm.gather(std::string(static_cast<std::size_t>(comm.rank()) * 3, 'x'), "texts");
  verdicts.equal("texts", texts.size(),
                 comm.rank() == 0 ? static_cast<std::size_t>(comm.size()) : 0U);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    verdicts.equal("length of a text", texts[i].size(), i * 3);
  }
}

void check_any(Communicator& comm, Verdicts& verdicts) {
  verdicts.equal("nobody", comm.any(false, "nobody"), false);
  verdicts.equal("the last", comm.any(comm.rank() + 1 == comm.size(), "the last"), true);
}

std::vector<Group> groups_of(Communicator& comm) {
  const int n = comm.size();
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  std::vector<Group> groups = {made(comm, all)};
  // Reversed, so that places are not ranks; halves; odd and even; one rank alone.
  groups.push_back(made(comm, {all.rbegin(), all.rend()}));
  if (n >= 3) groups.push_back(made(comm, {all.begin(), all.end() - 1}));
  if (n == 4) groups.push_back(made(comm, {2, 0}));
  if (n == 4) groups.push_back(made(comm, {1, 3}));
  groups.push_back(made(comm, {n - 1}));
  return groups;
}

void check_all(const World& world) {
  constexpr std::array kTypes = {Element::fp32, Element::bf16, Element::fp16};
  const std::vector<Group> groups = groups_of(world.comm);
  for (const Group& group : groups) {
    if (!group.member) continue;
    for (const Element type : kTypes) {
      // Past one segment of 2^18 elements per member, too.
      for (const std::int64_t count : {0, 1, 2, 3, 5, 63, 1024, 70001, 700001}) {
        check_group(world, group, count, type);
      }
      check_bytes(world, group, type);
    }
    check_reproducible(world, group);
  }
  check_overlap(world, groups);
  // A plan sends nothing from a rank to itself.
  for (const Element type : kTypes) {
    if (world.comm.size() > 1) check_messages(world, type);
  }
  check_gather(world.comm, world.verdicts);
  check_any(world.comm, world.verdicts);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string where = argc > 1 ? argv[1] : "cpu";
    WatchdogOptions options;
    const LinkDevice device = link_device(where);
    const auto comm = link_communicator(where).make(options);
    Verdicts verdicts;
    check_all({*comm, device, verdicts});
    return verdicts.gathered(*comm);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 3;
  }
}
