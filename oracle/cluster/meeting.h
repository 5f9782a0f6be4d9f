#pragma once
// How do ranks meet that compute between two messages?
//
// Where more ranks than cores compute, a stretch that takes d alone sees of all turns of the others
// that are due
//
//   seen = least + (1 - least)·d/(d + slice)
//
// for a system lets one compute for a slice at a time, and sometimes begins with another. How many
// ranks meet after the stretch decides too: of four on two cores that meet in pairs, a core has
// ranks of both. Ranks
// with a core each see none, but do not end a stretch at the same time: the message after it is
// waited for longer than by itself,
//
//   after = each + share·d
//
// Where ranks share a core, what its own caches held of a rank is gone when it goes on after a
// message: what begins the stretch takes longer by what it moves, up to what they hold,
//
//   refill = per_byte·min(bytes, own)
//
// Worked: least 0.4, slice 4 ms: of a stretch of 1 ms 0.52 of the turns, of 16 ms 0.88; 20 us each
// and a share of 0.01: 40 us later after 2 ms. 0.02 ns a byte of 2 MB: 10 us longer of a kernel
// that moves 0.5 MB, 40 us of one that moves 8
//                                                                     tests/cluster/meeting_test.cpp

#include <algorithm>
#include <cstdint>
#include <span>

#include "oracle/base/units.h"

namespace oracle {

struct Turns {
  double least = 0;
  Seconds slice;           ///< 0: not measured
  std::int64_t ranks = 0;  ///< that meet; 0: any number

  double seen(Seconds stretch) const { return least + (1 - least) * (stretch / (stretch + slice)); }
  bool operator==(const Turns&) const = default;
};

/// What was measured of groups of about as many ranks, by their ratio; null where nothing was.
const Turns* turns_of(std::span<const Turns> measured, std::int64_t ranks);

struct Lateness {
  Seconds each;
  double share = 0;

  Seconds after(Seconds stretch) const { return each + share * stretch; }
  bool operator==(const Lateness&) const = default;
};

struct Refill {
  double per_byte = 0;  ///< seconds
  Bytes own;            ///< what a core's own caches hold

  Seconds of(Bytes moved) const { return Seconds{per_byte * std::min(moved, own).value}; }
  bool operator==(const Refill&) const = default;
};

}  // namespace oracle
