// Every collective and message over MPI against sums computed serially: many sizes, types and
// groups, several operations under way together, and the bytes they count. Run by mpirun on 1 to 4
// ranks.

#include <bit>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/elements/element.h"
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

void check_group(Communicator& comm, const Group& group, std::int64_t count, Verdicts& verdicts) {
  const std::string name = std::to_string(group.id) + ", " + std::to_string(count) + " elements";
  const std::int64_t n = size_of(group);

  std::vector<float> reduced = values(comm.rank(), count);
  comm.wait(comm.start_all_reduce(group.id, reduced.data(), count, Element::fp32, "reduce"));
  verdicts.equal("all_reduce " + name, first_difference(reduced, sum_of(group, count)), -1);

  const std::vector<float> whole = values(comm.rank(), n * count);
  const std::vector<float> sums = sum_of(group, n * count);
  std::vector<float> part(static_cast<std::size_t>(count));
  comm.wait(comm.start_reduce_scatter(group.id, whole.data(), part.data(), count, Element::fp32,
                                      "scatter"));
  const auto first = sums.begin() + group.place * count;
  verdicts.equal("reduce_scatter " + name,
                 first_difference(part, std::vector<float>(first, first + count)), -1);

  std::vector<float> gathered(whole.size());
  const std::vector<float> own = values(comm.rank(), count);
  comm.wait(
      comm.start_all_gather(group.id, own.data(), gathered.data(), count, Element::fp32, "gather"));
  std::vector<float> due;
  for (const int rank : group.ranks) {
    const std::vector<float> theirs = values(rank, count);
    due.insert(due.end(), theirs.begin(), theirs.end());
  }
  verdicts.equal("all_gather " + name, first_difference(gathered, due), -1);

  std::vector<float> exchanged(whole.size());
  comm.wait(comm.start_all_to_all(group.id, whole.data(), exchanged.data(), count, Element::fp32,
                                  "exchange"));
  due.clear();
  for (const int rank : group.ranks) {
    const std::vector<float> theirs = values(rank, n * count);
    due.insert(due.end(), theirs.begin() + group.place * count,
               theirs.begin() + (group.place + 1) * count);
  }
  verdicts.equal("all_to_all " + name, first_difference(exchanged, due), -1);
}

/// The header's rule, where the counts divide by the members.
void check_bytes(Communicator& comm, const Group& group, Verdicts& verdicts) {
  const std::int64_t n = size_of(group);
  const std::int64_t part = 1000;
  const std::int64_t whole = n * part;
  std::vector<float> from(static_cast<std::size_t>(whole));
  std::vector<float> to(static_cast<std::size_t>(whole));
  comm.reset_bytes();
  comm.wait(comm.start_all_reduce(group.id, to.data(), whole, Element::fp32, "a"));
  verdicts.equal("bytes of all_reduce", comm.bytes_sent(), 2 * (n - 1) * part * 4);
  comm.reset_bytes();
  comm.wait(comm.start_reduce_scatter(group.id, from.data(), to.data(), part, Element::fp32, "b"));
  verdicts.equal("bytes of reduce_scatter", comm.bytes_sent(), (n - 1) * part * 4);
  comm.reset_bytes();
  comm.wait(comm.start_all_gather(group.id, from.data(), to.data(), part, Element::bf16, "c"));
  verdicts.equal("bytes of all_gather", comm.bytes_sent(), (n - 1) * part * 2);
  comm.reset_bytes();
  comm.wait(comm.start_all_to_all(group.id, from.data(), to.data(), part, Element::fp32, "d"));
  verdicts.equal("bytes of all_to_all", comm.bytes_sent(), (n - 1) * part * 4);
}

void check_halves(Communicator& comm, const Group& group, Verdicts& verdicts) {
  const std::int64_t count = 1001;
  const std::vector<float> sums = sum_of(group, count);
  std::vector<std::uint16_t> bf16;
  std::vector<std::uint16_t> fp16;
  for (const float x : values(comm.rank(), count)) {
    bf16.push_back(float_to_bf16(x));
    fp16.push_back(float_to_fp16(x));
  }
  comm.wait(comm.start_all_reduce(group.id, bf16.data(), count, Element::bf16, "bf16"));
  comm.wait(comm.start_all_reduce(group.id, fp16.data(), count, Element::fp16, "fp16"));
  std::vector<float> from_bf16;
  std::vector<float> from_fp16;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    from_bf16.push_back(bf16_to_float(bf16[i]));
    from_fp16.push_back(fp16_to_float(fp16[i]));
  }
  verdicts.equal("bf16", first_difference(from_bf16, sums), -1);
  verdicts.equal("fp16", first_difference(from_fp16, sums), -1);
}

/// Operations on all groups at once, waited for in the reverse order.
void check_overlap(Communicator& comm, const std::vector<Group>& groups, Verdicts& verdicts) {
  const std::int64_t count = 300007;
  const int repeats = 4;
  std::vector<std::vector<float>> buffers;
  std::vector<Ticket> tickets;
  std::vector<const Group*> of;
  buffers.reserve(groups.size() * repeats);
  for (int r = 0; r < repeats; ++r) {
    for (const Group& group : groups) {
      if (!group.member) continue;
      buffers.push_back(values(comm.rank(), count));
      of.push_back(&group);
      tickets.push_back(comm.start_all_reduce(group.id, buffers.back().data(), count, Element::fp32,
                                              "bucket " + std::to_string(r)));
    }
  }
  for (std::size_t i = tickets.size(); i-- > 0;) comm.wait(tickets[i]);
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    verdicts.equal("overlapping all_reduce " + std::to_string(i),
                   first_difference(buffers[i], sum_of(*of[i], count)), -1);
  }
}

/// Two messages to each neighbour of a ring, of different sizes, in the order they start.
void check_messages(Communicator& comm, Verdicts& verdicts) {
  const int n = comm.size();
  const int next = (comm.rank() + 1) % n;
  const int before = (comm.rank() + n - 1) % n;
  std::vector<float> first = values(comm.rank(), 100003);
  std::vector<float> second = values(comm.rank() + 50, 17);
  std::vector<float> got_first(first.size());
  std::vector<float> got_second(second.size());
  const std::vector<Peer> sends = {{next, first.data(), 100003}, {next, second.data(), 17}};
  const std::vector<Peer> early = {{before, got_first.data(), 100003}};
  const std::vector<Peer> late = {{before, got_second.data(), 17}};
  comm.reset_bytes();
  const Ticket a = comm.start_messages({}, early, Element::fp32, "early");
  const Ticket b = comm.start_messages(sends, late, Element::fp32, "late");
  comm.wait(b);
  comm.wait(a);
  verdicts.equal("first message", first_difference(got_first, values(before, 100003)), -1);
  verdicts.equal("second message", first_difference(got_second, values(before + 50, 17)), -1);
  verdicts.equal("bytes of messages", comm.bytes_sent(), (100003 + 17) * 4);
}

/// Sums of numbers that round: the same bits on every member and in every repetition.
void check_reproducible(Communicator& comm, const Group& group, Verdicts& verdicts) {
  const std::int64_t count = 5003;
  std::vector<float> sums[2];
  for (std::vector<float>& sum : sums) {
    for (std::int64_t i = 0; i < count; ++i) {
      sum.push_back(1.0F / static_cast<float>(3 + i * (comm.rank() + 1)));
    }
    comm.wait(comm.start_all_reduce(group.id, sum.data(), count, Element::fp32, "thirds"));
  }
  verdicts.equal("twice the same", first_difference(sums[0], sums[1]), -1);
  const auto n = group.ranks.size();
  std::vector<float> all(n * sums[0].size());
  comm.wait(
      comm.start_all_gather(group.id, sums[0].data(), all.data(), count, Element::fp32, "all"));
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = all.begin() + static_cast<std::int64_t>(i) * count;
    verdicts.equal("same on every member",
                   first_difference(sums[0], std::vector<float>(begin, begin + count)), -1);
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

}  // namespace

int main() {
  try {
    WatchdogOptions options;
    const auto comm = all_communicators().at(0).make(options);
    Verdicts verdicts;
    const std::vector<Group> groups = groups_of(*comm);
    for (const Group& group : groups) {
      if (!group.member) continue;
      // Past one segment of 2^18 elements per member, too.
      for (const std::int64_t count : {0, 1, 2, 3, 5, 63, 1024, 70001, 700001}) {
        check_group(*comm, group, count, verdicts);
      }
      check_bytes(*comm, group, verdicts);
      check_halves(*comm, group, verdicts);
      check_reproducible(*comm, group, verdicts);
    }
    check_overlap(*comm, groups, verdicts);
    check_messages(*comm, verdicts);
    check_gather(*comm, verdicts);
    check_any(*comm, verdicts);
    return verdicts.gathered(*comm);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 3;
  }
}
