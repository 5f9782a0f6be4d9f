#pragma once
// What do ranks that compute and meet, again and again, say about how they meet?
//
// Of n ranks on c cores (cost/compute/crowding.h). Where n > c, how many turns a stretch takes, on
// the wall over the processor's time; of all pairs of a least share (in steps of 5 %) and a slice
// (in steps as well) the one of the least Σ |log(fitted / measured)|:
//
//   turns = 1 + (n/c - 1)·seen(d)                                                 cluster/meeting.h
//
// Where each has a core, how much longer than by itself the operation after a stretch is waited
// for; of all lines that rise, through one or two of the points, the one of the least Σ |log|:
//
//   waited = alone + after(d)
//
// And where n > c, how much longer for each byte a copy takes after a message than right after
// itself, in the median.
//
// Worked: on as many cores as half of the ranks, stretches of 1, 4 and 16 ms take 1.52, 1.7
// and 1.88 turns: least 0.4, slice 4 ms. Sums of 10 us after 1 and 2 ms of computing that are
// waited for 40 and 50 us: 20 us each and a hundredth of the stretch. A copy of 0.5 MB that takes
// 8 us, and 18 after a message: 0.02 ns a byte
//                                                           tests/calibrate/stretch_fit_test.cpp

#include <span>
#include <vector>

#include "oracle/cluster/profile.h"
#include "oracle/io/measurements/link_sample.h"

namespace oracle {

/// For each number of ranks that meet, by it. `most`: n/c; nothing where it is 1 at most.
std::vector<Turns> fit_turns(std::span<const Stretch> measured, double most);

/// Of stretches whose ranks had a core each: of those that took no more than a tenth longer on the
/// wall.
Lateness fit_lateness(std::span<const Stretch> measured);

/// `most`: n/c; nothing where it is 1 at most.
Refill fit_refill(std::span<const CacheRefill> measured, double most);

}  // namespace oracle
