#include "microbench/comm/schedule.h"

#include <algorithm>

namespace oracle {
namespace {

/// So many segments are under way at a time: while one folds, others fill the link.
constexpr std::size_t kLanes = 4;

/// So few elements of two members are sent whole: a second message would cost more than their half.
constexpr std::int64_t kFew = 8192;

int wrapped(int place, int n) { return ((place % n) + n) % n; }

/// A round on the ring: out to the next member, in from the one before.
Round ring_round(Member member, Part sent, Part received) {
  Round round;
  round.to = wrapped(member.place + 1, member.group_size);
  round.from = wrapped(member.place - 1, member.group_size);
  round.sent = sent;
  round.received = received;
  return round;
}

Round copy_round(Part into, Part source) {
  Round round;
  round.into = into;
  round.source = source;
  return round;
}

/// Segment [begin, end) of a buffer, cut into one chunk per member.
struct Chunks {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int n = 1;

  Part operator()(int place) const {
    const int c = wrapped(place, n);
    const std::int64_t length = end - begin;
    const std::int64_t first = begin + length * c / n;
    return {BufferRole::kept, first, begin + length * (c + 1) / n - first};
  }
  std::int64_t longest() const { return (end - begin + n - 1) / n; }
};

void all_reduce_segment(Member member, const Chunks& chunks, std::int64_t scratch,
                        std::vector<Round>& lane) {
  const int n = member.group_size;
  for (int s = 0; s < n - 1; ++s) {
    const Part arriving = chunks(member.place - s - 1);
    const Part held{BufferRole::scratch, scratch, arriving.count};
    Round round = ring_round(member, chunks(member.place - s), held);
    round.into = arriving;
    round.source = held;
    round.add = true;
    lane.push_back(round);
  }
  for (int s = 0; s < n - 1; ++s) {
    lane.push_back(ring_round(member, chunks(member.place + 1 - s), chunks(member.place - s)));
  }
}

Schedule all_reduce_of_two(Member member, std::int64_t count) {
  const Part all{BufferRole::kept, 0, count};
  const Part arriving{BufferRole::scratch, 0, count};
  Round round = ring_round(member, all, arriving);
  round.into = all;
  round.source = arriving;
  round.add = true;
  return {{{round}}, count};
}

/// Elements [begin, begin + length) of each part; two places of scratch from `scratch` on.
void reduce_scatter_segment(Member member, std::int64_t part, std::int64_t begin,
                            std::int64_t length, std::int64_t scratch, std::vector<Round>& lane) {
  const int n = member.group_size;
  const auto own = [&](int place) {
    return Part{BufferRole::given, wrapped(place, n) * part + begin, length};
  };
  Part sent = own(member.place - 1);
  for (int s = 0; s < n - 1; ++s) {
    const bool last = s == n - 2;
    const Part held = last ? Part{BufferRole::kept, begin, length}
                           : Part{BufferRole::scratch, scratch + (s % 2) * length, length};
    Round round = ring_round(member, sent, held);
    round.into = held;
    round.source = own(member.place - 2 - s);
    round.add = true;
    lane.push_back(round);
    sent = held;
  }
}

/// The segments of a buffer take turns on them.
class Lanes {
 public:
  std::size_t place() const { return turn_ % kLanes; }
  std::vector<Round>& next() { return lanes_[turn_++ % kLanes]; }
  std::vector<std::vector<Round>> used() {
    std::erase_if(lanes_, [](const std::vector<Round>& lane) { return lane.empty(); });
    return std::move(lanes_);
  }

 private:
  std::vector<std::vector<Round>> lanes_ = std::vector<std::vector<Round>>(kLanes);
  std::size_t turn_ = 0;
};

}  // namespace

Schedule all_reduce_schedule(Member member, std::int64_t count, std::int64_t segment) {
  Schedule schedule;
  if (member.group_size == 1) return schedule;
  if (member.group_size == 2 && count <= std::min(kFew, segment)) {
    return all_reduce_of_two(member, count);
  }
  Lanes lanes;
  const std::int64_t step = segment * member.group_size;
  const std::int64_t room = std::min(segment, (count + member.group_size - 1) / member.group_size);
  for (std::int64_t begin = 0; begin < count; begin += step) {
    const Chunks chunks{begin, std::min(count, begin + step), member.group_size};
    const auto scratch = static_cast<std::int64_t>(lanes.place()) * room;
    all_reduce_segment(member, chunks, scratch, lanes.next());
  }
  schedule.lanes = lanes.used();
  schedule.scratch = room * static_cast<std::int64_t>(schedule.lanes.size());
  return schedule;
}

Schedule reduce_scatter_schedule(Member member, std::int64_t part, std::int64_t segment) {
  Schedule schedule;
  if (member.group_size == 1) {
    schedule.lanes.push_back(
        {copy_round({BufferRole::kept, 0, part}, {BufferRole::given, 0, part})});
    return schedule;
  }
  Lanes lanes;
  const std::int64_t room = 2 * std::min(segment, part);
  for (std::int64_t begin = 0; begin < part; begin += segment) {
    const auto scratch = static_cast<std::int64_t>(lanes.place()) * room;
    reduce_scatter_segment(member, part, begin, std::min(segment, part - begin), scratch,
                           lanes.next());
  }
  schedule.lanes = lanes.used();
  if (member.group_size > 2) {
    schedule.scratch = room * static_cast<std::int64_t>(schedule.lanes.size());
  }
  return schedule;
}

Schedule all_gather_schedule(Member member, std::int64_t part, std::int64_t segment) {
  const int n = member.group_size;
  Lanes lanes;
  for (std::int64_t begin = 0; begin < part; begin += segment) {
    const std::int64_t length = std::min(segment, part - begin);
    const auto piece = [&](int place) {
      return Part{BufferRole::kept, wrapped(place, n) * part + begin, length};
    };
    std::vector<Round>& lane = lanes.next();
    lane.push_back(copy_round(piece(member.place), {BufferRole::given, begin, length}));
    for (int s = 0; s < n - 1; ++s) {
      lane.push_back(ring_round(member, piece(member.place - s), piece(member.place - s - 1)));
    }
  }
  return {lanes.used(), 0};
}

Schedule all_to_all_schedule(Member member, std::int64_t part, std::int64_t segment) {
  const int n = member.group_size;
  const std::int64_t own = member.place * part;
  Lanes lanes;
  lanes.next().push_back(copy_round({BufferRole::kept, own, part}, {BufferRole::given, own, part}));
  for (int s = 1; s < n; ++s) {
    for (std::int64_t begin = 0; begin < part; begin += segment) {
      const std::int64_t length = std::min(segment, part - begin);
      Round round;
      round.to = wrapped(member.place + s, n);
      round.from = wrapped(member.place - s, n);
      round.sent = {BufferRole::given, round.to * part + begin, length};
      round.received = {BufferRole::kept, round.from * part + begin, length};
      lanes.next().push_back(round);
    }
  }
  return {lanes.used(), 0};
}

Schedule barrier_schedule(Member member) {
  const int n = member.group_size;
  std::vector<Round> lane;
  for (int distance = 1; distance < n; distance *= 2) {
    Round round;
    round.to = wrapped(member.place + distance, n);
    round.from = wrapped(member.place - distance, n);
    round.sent = {BufferRole::scratch, 0, 1};
    round.received = {BufferRole::scratch, 1, 1};
    lane.push_back(round);
  }
  return {{std::move(lane)}, 2};
}

}  // namespace oracle
