#pragma once
// Which boxes does a rank give to whom, and take from whom?
//
// `before` and `after` say what each rank holds before and after an exchange. A member gets what it
// will hold and the giver has; parts of a collective are equal, as large as the largest of the
// group.
//
// Worked: 4 channels over 2 ranks to 6 rows over 2 ranks: an all_to_all of parts 2 × 3.
//                                                           tests/validate/program/moves_test.cpp

#include <functional>
#include <span>

#include "oracle/plan/layout/layout.h"
#include "validate/program/program.h"

namespace oracle {

using RegionOf = std::function<Region(int rank)>;

/// A collective of a layout change over `members` (in group order, `rank` among them). `held` is
/// what the rank's tensor holds, which may be more than `before`.
Move collective_move(const Conversion& step, std::span<const int> members, int rank,
                     const Region& held, const RegionOf& before, const RegionOf& after);

/// Messages among `members`: each gets what it wants of what another has and it lacks itself.
Move message_move(Collective collective, std::span<const int> members, int rank, const Region& held,
                  const RegionOf& before, const RegionOf& after);

/// Each member sends what it computed of another's region back to its owner, who adds it.
Move returning_move(std::span<const int> members, int rank, const RegionOf& computed,
                    const RegionOf& owned);

/// The member of a ring before `rank`, which gives it what it has.
int rank_before(std::span<const int> ring, int rank);

/// Each member of a ring gives the next one what it has: this rank `given`, and gets `taken`.
Move passing_move(std::span<const int> ring, int rank, const Region& given, const Region& taken);

/// Throws InputError where two ranks of a pipeline send each other outputs and gradients in another
/// order than they take them in: nothing else tells these apart.
void refuse_messages_out_of_order(const PipelineForm& form);

/// What this rank holds itself, without a message. Zero where `wanted` reaches beyond.
Move local_move(const Region& held, const Region& wanted);

}  // namespace oracle
