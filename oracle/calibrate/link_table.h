#pragma once
// What was measured of each size of message, before anything is fitted to it?
//
// A row has the medians, over the samples of one size, of their medians and percentiles, per
// message. Where no fit will do, pieces join neighbouring rows: after times that fall with size
// were made level (pool adjacent violators, Ayer et al., Annals of Mathematical Statistics 26(4),
// 1955), the line from (m1, t1) to (m2, t2); where that would cross zero, the one from 0 through
// the second. Past the longest message the line from 0 through it goes on: times measured level say
// nothing about what is longer.
//
// Worked: rows of 1 kB in 10 us and 2 kB in 12 us are joined by α = 8 us, B = 0.5 GB/s; 4 kB would
// take 24 us                                               tests/calibrate/link_table_test.cpp

#include <span>
#include <vector>

#include "oracle/cluster/profile.h"
#include "oracle/io/measurements/link_sample.h"

namespace oracle {

/// Ascending in the message's size.
std::vector<LinkPoint> link_table(std::span<const LinkSample* const> samples);

/// One piece for each two neighbours, and one for what is longer. None of none.
std::vector<LinkPiece> joined_pieces(std::span<const LinkPoint> table);

}  // namespace oracle
