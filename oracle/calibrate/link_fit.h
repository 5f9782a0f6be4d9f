#pragma once
// What do measurements of links amount to, level by level?
//
// Each sample becomes one message of its operation's schedule (io/measurements/link_sample.h): its
// size m and its time t. Of each size the median counts, and pieces t = α + m/B are fitted to those
// (piecewise.h). One fit for each level and operation, and where collectives of several numbers of
// ranks were measured, one more for each number that has kOwnSizes sizes: how long a message of a
// ring takes depends on how many ranks wait for each other.
//
//   residual        median |α + m/B - t|/t over the samples
//   leave_one_out   the same of sizes that were left out of the fit that foretells them, pieces and
//                   all; of up to 32 sizes spread over the range
//   uncertainty     of a piece: the 90th percentile of its samples' residuals, no less than
//                   leave_one_out
//
// A fit that misses sizes left out, or its own samples, by more than 15 %, or two neighbouring
// sizes to the same side by so much, is bad: it says so (tabulated), and its pieces join the points
// of the table instead.
//
// How many messages of an all-to-all cross a level hangs on how many of its ranks lie in each unit:
// with more than one there, each number of ranks and of ranks in a unit has a fit of its own.
//
// Samples of k concurrent flows take no part; they say what flows get together, as a multiple of
// what one gets (LinkFit::together): the median over sizes within a factor of 8 of the longest, of
// the k that gives most.
//
// Worked: flows of 100 us alone and 125 us with another at the same time: together 1.6 times one's
//                                                            tests/calibrate/link_fit_test.cpp

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "oracle/cluster/cluster.h"
#include "oracle/cluster/profile.h"
#include "oracle/io/measurements/link_sample.h"

namespace oracle {

inline constexpr std::size_t kOwnSizes = 4;

struct LinkFits {
  std::vector<LinkFit> fits;                    ///< by level, then operation, then ranks
  std::map<std::string, std::size_t> left_out;  ///< why, and of how many samples
};

LinkFits fit_links(std::span<const LinkSample> samples);

/// The samples with the names of a cluster's own levels. A tier that is none of them ("machine",
/// "network") is the innermost level that holds as many ranks: for the network, of those outside of
/// the innermost. Throws InputError where the cluster, or the level, is too small, and of a level
/// that it does not have.
std::vector<LinkSample> on_levels_of(const Cluster& cluster, std::vector<LinkSample> samples);

/// Profile::overlap of computations and transfers that begin together; medians, 0 of none.
///
/// Up to the end of the first one both were slowed; the other one ran what was left of it alone, as
/// fast as ever.
///
/// Worked: 4 ms of computing and 2 ms of a transfer alone; computing is over after 5 ms, and the
/// transfer after 6: 1 ms of it was left, so 1 ms was done in 5. Slowdowns are 0.25 and 4.
Overlap fit_overlap(std::span<const Interference> measured);

}  // namespace oracle
