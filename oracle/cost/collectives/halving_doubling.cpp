#include "oracle/cost/collectives/halving_doubling.h"

#include <algorithm>
#include <bit>

#include "oracle/cost/collectives/levels.h"

namespace oracle {
namespace {

/// Members send `bytes` to partners at `distance`, `crossing` of a unit's at most out of it.
/// `aligned`: partners are ranks that differ in one bit, so that units of a multiple of 2·distance
/// members hold whole pairs.
Seconds exchange(Bytes bytes, std::int64_t distance, std::int64_t crossing, bool aligned,
                 const Group& group) {
  Bandwidth flow = std::min(group.level[0].flow, group.level[0].flow_limit);
  Seconds latency = group.level[0].latency;
  for (std::size_t l = 1; l < group.levels; ++l) {
    const std::int64_t members = members_below(group, l);
    if (aligned && members % (2 * distance) == 0) continue;
    const auto senders = static_cast<double>(std::min(crossing, members));
    flow = std::min({flow, group.level[l].flow / senders, group.level[l].flow_limit});
    latency = group.level[l].latency;
  }
  return latency + bytes / flow;
}

/// Recursive halving over `ranks` members, a power of two; doubling takes as long.
Seconds halve(Bytes bytes, std::int64_t ranks, bool aligned, const Group& group) {
  Seconds time;
  Bytes part = bytes / 2.0;
  for (std::int64_t distance = 1; distance < ranks; distance *= 2, part = part / 2.0) {
    time += exchange(part, distance, 2 * distance, aligned, group);
  }
  return time;
}

}  // namespace

Seconds halving_doubling_all_reduce(Bytes bytes, const Group& group) {
  const auto ranks =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(group.size)));
  const bool whole = ranks == group.size;
  const Seconds time = 2.0 * halve(bytes, ranks, whole, group);
  return whole ? time : time + 2.0 * exchange(bytes, 1, 1, true, group);
}

Seconds halving_reduce_scatter(Bytes bytes, const Group& group) {
  return halve(bytes, group.size, true, group);
}

Seconds doubling_all_gather(Bytes bytes, const Group& group) {
  return halving_reduce_scatter(bytes, group);
}

}  // namespace oracle
