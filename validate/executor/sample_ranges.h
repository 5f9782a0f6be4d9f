#pragma once
// Which samples of the mini-batch are in which micro-batch?

#include <cstdint>
#include <vector>

#include "oracle/plan/plan.h"
#include "validate/program/region.h"

namespace oracle {

/// Samples [begin, end) of the mini-batch.
using SampleRange = Interval;

/// Micro-batch m of `count` takes samples [⌊m·B/count⌋, ⌊(m+1)·B/count⌋).
std::vector<SampleRange> micro_batches(std::int64_t batch, std::int64_t count);

/// The plan's micro-batches, or as many ranges that were asked for.
std::vector<SampleRange> ranges_of(const Plan& plan, const std::vector<SampleRange>& asked);

}  // namespace oracle
