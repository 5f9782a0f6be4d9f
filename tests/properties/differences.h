#pragma once
// Do two evaluations give the same answer?

#include <string>

#include "oracle/evaluate/evaluation.h"

namespace oracle {

/// Whether |a − b| ≤ tolerance · max(|a|, |b|); with 0 whether they are equal.
bool is_close(double a, double b, double tolerance);

/// What differs, with both values, or "": that it fits, the reason if not, and every number of the
/// answer (step, breakdown, communication, critical path, memory by use, interval). Times of `a`
/// are multiplied by `times` first; the tolerance on times is relative to the step where that is
/// more.
std::string difference(const Evaluation& a, const Evaluation& b, double tolerance = 0,
                       double times = 1);

}  // namespace oracle
