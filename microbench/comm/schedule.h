#pragma once
// Which messages make up a collective?
//
// A schedule is what one member of a group does: rounds in order, each at most one message out, one
// in and then one fold. Lanes are independent of each other: while one folds, the others' messages
// are under way. Buffers longer than a segment run as one schedule per segment, so scratch stays
// small and no message is long.
//
//   all_reduce       ring: reduce-scatter, then all-gather, 2(n−1) rounds of S/n;
//                    of two members and up to 8192 elements one round of S, which is as much
//   reduce_scatter   ring, n−1 rounds          Patarasuk & Yuan, JPDC 69(2), 2009
//   all_gather       ring, n−1 rounds          Thakur, Rabenseifner & Gropp, IJHPCA 19(1), 2005
//   all_to_all       pairwise, in round k to member i+k and from i−k            (same)
//   barrier          dissemination, ⌈log2 n⌉ rounds      Hensgen, Finkel & Manber, IJPP 17(1), 1988
//
// The order of additions follows from the places in the group alone, so a sum has the same bits in
// every run and, for all_reduce, on every member.
//
// Worked: all_reduce of 12 elements over 4 members: 6 rounds of 3, each sends 18 = 2·3/4·12.
//                                                       tests/microbench/comm/schedule_test.cpp

#include <cstdint>
#include <vector>

namespace oracle {

enum class BufferRole : std::uint8_t { given, kept, scratch };

/// Offset and counts are elements. A count of zero is nothing to do.
struct Part {
  BufferRole buffer = BufferRole::kept;
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

struct Round {
  int to = 0;  ///< places in the group
  Part sent;
  int from = 0;
  Part received;
  Part into;    ///< after both: into += source, or into = source
  Part source;  ///< its count is into's
  bool add = false;
};

struct Schedule {
  std::vector<std::vector<Round>> lanes;
  std::int64_t scratch = 0;  ///< elements
};

struct Member {
  int place = 0;
  int group_size = 1;
};

/// `segment`: elements of the longest message. `kept` holds `count` elements, the sum when done.
Schedule all_reduce_schedule(Member member, std::int64_t count, std::int64_t segment);
/// `given` holds n parts, `kept` the sum of the own one.
Schedule reduce_scatter_schedule(Member member, std::int64_t part, std::int64_t segment);
/// `given` holds the own part, `kept` n parts.
Schedule all_gather_schedule(Member member, std::int64_t part, std::int64_t segment);
/// Both hold n parts.
Schedule all_to_all_schedule(Member member, std::int64_t part, std::int64_t segment);
/// Needs one element of scratch to send from and one to receive into.
Schedule barrier_schedule(Member member);

}  // namespace oracle
