#include "validate/program/moves.h"

#include <algorithm>

#include "oracle/base/error.h"

namespace oracle {
namespace {

Share share_of(int rank, const Region& local, const Region& part) {
  return {rank, boxes_in(local, part), part.elements()};
}

/// The most that one member of the group gives another.
std::int64_t largest_part(const Conversion& step, std::span<const int> members,
                          const RegionOf& before, const RegionOf& after) {
  std::int64_t most = 0;
  for (const int giver : members) {
    const Region given = before(giver);
    if (step.collective == Collective::all_gather) {
      most = std::max(most, given.elements());
      continue;
    }
    for (const int taker : members) {
      most = std::max(most, intersection(given, after(taker)).elements());
    }
  }
  return most;
}

void keep(Move& move, const Region& held, const Region& wanted) {
  const Region both = intersection(held, wanted);
  move.keep_from = boxes_in(held, both);
  move.keep_to = boxes_in(wanted, both);
}

/// Whether of what is wanted something is not kept.
bool leaves_gaps(const Region& held, const Region& wanted) {
  return intersection(held, wanted) != wanted;
}

}  // namespace

Move collective_move(const Conversion& step, std::span<const int> members, int rank,
                     const Region& held, const RegionOf& before, const RegionOf& after) {
  Move move;
  move.collective = step.collective;
  move.axes = step.axes;
  const Region mine = before(rank), wanted = after(rank);
  if (step.collective == Collective::all_reduce) {
    move.give = {share_of(rank, held, mine)};
    move.take = {share_of(rank, wanted, mine)};
    move.part = mine.elements();
    return move;
  }
  move.part = largest_part(step, members, before, after);
  for (const int member : members) {
    if (step.collective != Collective::all_gather) {
      move.give.push_back(share_of(member, held, intersection(mine, after(member))));
    }
    if (step.collective != Collective::reduce_scatter) {
      move.take.push_back(share_of(member, wanted, intersection(before(member), wanted)));
    }
  }
  if (step.collective == Collective::all_gather) move.give = {share_of(rank, held, mine)};
  if (step.collective == Collective::reduce_scatter) move.take = {share_of(rank, wanted, wanted)};
  return move;
}

Move message_move(Collective collective, std::span<const int> members, int rank, const Region& held,
                  const RegionOf& before, const RegionOf& after) {
  Move move;
  move.collective = collective;
  const Region mine = before(rank), wanted = after(rank);
  for (const int member : members) {
    if (member == rank) continue;
    const Region given = intersection(mine, after(member));
    const Region taken = intersection(before(member), wanted);
    if (given.elements() > 0) move.give.push_back(share_of(member, held, given));
    if (taken.elements() > 0) move.take.push_back(share_of(member, wanted, taken));
  }
  keep(move, held, wanted);
  return move;
}

Move returning_move(std::span<const int> members, int rank, const RegionOf& computed,
                    const RegionOf& owned) {
  Move move =
      message_move(Collective::halo_exchange, members, rank, computed(rank), computed, owned);
  move.accumulate = true;
  move.clear = leaves_gaps(computed(rank), owned(rank));
  return move;
}

int rank_before(std::span<const int> ring, int rank) {
  const auto at = std::find(ring.begin(), ring.end(), rank) - ring.begin();
  return at == 0 ? ring.back() : ring[static_cast<std::size_t>(at) - 1];
}

Move passing_move(std::span<const int> ring, int rank, const Region& given, const Region& taken) {
  const auto next = std::find_if(ring.begin(), ring.end(),
                                 [&](int member) { return rank_before(ring, member) == rank; });
  Move move;
  move.collective = Collective::ring_pass;
  move.give = {share_of(*next, given, given)};
  move.take = {share_of(rank_before(ring, rank), taken, taken)};
  return move;
}

void refuse_messages_out_of_order(const PipelineForm& form) {
  if (form.parts_backward() && form.chunks > 1 && form.ranks == 2) {
    throw InputError("--strategy",
                     "of two ranks with chunks under schedule=zb_h1, each sends the other outputs "
                     "and gradients in another order than they are taken in",
                     "train with schedule=1f1b, without chunks, or with pipeline:3 and more");
  }
}

Move local_move(const Region& held, const Region& wanted) {
  Move move;
  keep(move, held, wanted);
  move.clear = leaves_gaps(held, wanted);
  return move;
}

}  // namespace oracle
