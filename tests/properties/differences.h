#pragma once
// Do two evaluations give the same answer?

#include <algorithm>
#include <string>

#include "oracle/evaluate/evaluation.h"

namespace oracle {

/// Whether |a − b| ≤ tolerance · max(|a|, |b|); with 0 whether they are equal.
bool is_close(double a, double b, double tolerance);

/// Whether two maps to bytes, whose parts may have been added up in another order, are the same.
template <typename Map>
bool has_same_bytes(const Map& a, const Map& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& two) {
    return one.first == two.first && is_close(one.second, two.second, 1e-12);
  });
}

/// What differs, with both values, or "": that it fits, the reason if not, and every number of the
/// answer (step, breakdown, communication, critical path, memory by use, interval). Times of `a`
/// are multiplied by `times` first; the tolerance on times is relative to the step where that is
/// more.
std::string difference(const Evaluation& a, const Evaluation& b, double tolerance = 0,
                       double times = 1);

}  // namespace oracle
