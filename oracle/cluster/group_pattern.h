#pragma once
// How do a mesh's groups fall into units of a given number of ranks?
//
// Adjacent axes of a kind (in the group or across groups) merge into runs. Let the outermost run
// have d values with stride s, and let units hold C ranks. Ranks lie in units as ranks C·s/gcd(s,C)
// further on do, so at most C/gcd(s,C) values of the run (twice that for a run of the group, so
// that a group leaves its units) show every position; all ranks of those are looked at. Where the
// units nest with the runs (C = s·m with m a divisor of d for some run), one unit shows all, and
// nothing is enumerated.
//
// Worked: 12 ranks in groups of 4 consecutive ones, units of 6: groups 0-3 and 8-11 stay inside,
// group 4-7 has 2 members in either unit: members 2, crossing 1
// tests/cluster/group_pattern_test.cpp

#include <cstdint>
#include <span>

namespace oracle {

/// Consecutive mesh axes that are all in the group, or all not; outermost first.
struct AxisRun {
  std::int64_t degree = 1;
  bool in_group = false;
};

struct GroupPattern {
  /// The most members a unit holds of a group, for the group where that is least.
  std::int64_t members = 1;
  /// The most groups, over the units, that have members both inside and outside of a unit.
  std::int64_t crossing = 0;
};

/// Requires capacity ≥ 1 and a product of degrees within 64 bits. Past a few thousand ranks to look
/// at (degrees with hardly a common factor with the capacity), units shrink to the next size that
/// nests.
GroupPattern group_pattern(std::span<const AxisRun> runs, std::int64_t capacity);

}  // namespace oracle
